"""What esbuild made, as the site uses it: files that pages load by address, and those with other places."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from markupsafe import Markup

from sitebuilder.typeface import FIRST

ASSETS = "assets"
"""The folder of the site where the bundle lies."""

WORKER, FIRST_SCRIPT = "service-worker.js", "first.js"
"""Scripts of the bundle with places of their own: at the site's root, under an address that must stay the
same for ever, because browsers find a newer worker by it; and in every page."""

EMBED = "embed.js"
"""The heat map alone, for pages that are not ours: `embed/heat-map.js`, an address that stays."""


class Bundle(Protocol):
    """What esbuild made: a folder, and the hashed name in it of each script, style and font."""

    @property
    def folder(self) -> Path: ...

    @property
    def fonts(self) -> tuple[str, ...]: ...

    def __getitem__(self, name: str, /) -> str: ...

    def preloads(self, name: str, /) -> tuple[str, ...]:
        """The hashed names of the scripts that this one imports before it starts."""


def shared_assets(bundle: Bundle) -> dict[str, Path]:
    """The files of the bundle that pages load by address, by their paths in the site."""
    apart = {bundle[WORKER], bundle[FIRST_SCRIPT], bundle[EMBED]}
    files = (file for file in sorted(bundle.folder.iterdir()) if file.suffix != ".json")
    return {f"{ASSETS}/{file.name}": file for file in files if file.name not in apart}


def first_fonts(bundle: Bundle) -> list[str]:
    """The hashed names of the fonts to fetch with the page, so that its text does not change face."""
    return [bundle[name] for name in FIRST if name in bundle.fonts]


def first_script(bundle: Bundle) -> Markup:
    """What runs before a page is drawn, as text for a script element in it."""
    text = (bundle.folder / bundle[FIRST_SCRIPT]).read_text(encoding="utf-8")
    return Markup(text.strip().replace("</", "<\\/"))
