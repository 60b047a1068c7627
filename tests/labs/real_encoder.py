"""The packed encoder of lesson 31 in CPython: the modules of the lesson, and the files that a build makes."""

from __future__ import annotations

import sys
from typing import Any

from rich.console import Console

from lectern import fetched
from sitebuilder.cache import cache_folder
from sitebuilder.models import provide_model
from sitebuilder.trained import Model
from tests.project import ROOT

FOLDER = ROOT / "lessons/31-multi-head-attention"
INDEX = FOLDER / "minilm.model.json"

sys.path.insert(0, str(FOLDER))

import encoder as encoder  # noqa: E402
from wordpiece import tokenize as tokenize  # noqa: E402


def model_of_the_lesson() -> Model:
    """Its files, as a build makes them."""
    return provide_model(INDEX.name, INDEX.read_bytes(), cache=cache_folder(), console=Console(quiet=True))


def load() -> encoder.Encoder:
    """The encoder with the weights that the site serves."""
    model = model_of_the_lesson()
    fetched.read_with(lambda path: (model.folder / path.rpartition("/")[2]).read_bytes())
    return encoder.load(str(INDEX))


def source_of_the_lesson() -> str:
    """The first cell, as a reader has it."""
    text = (FOLDER / "lesson.md").read_text(encoding="utf-8")
    return text.split("```python run multi-head\n")[1].split("```")[0]


def lesson_attention() -> dict[str, Any]:
    """What that cell defines."""
    names: dict[str, Any] = {}
    exec(source_of_the_lesson(), names)
    return names
