#!/usr/bin/env python3
"""The command line of this project: `python build.py`, `… serve`, `… check`, `… new NN-slug`."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "py"))  # so that it also works where nobody has installed the project


def main() -> int:
    """Run the command line, or say in one sentence what is missing for it."""
    if sys.version_info < (3, 11):  # noqa: UP036 — whoever has an older one should read a sentence
        print(f"Lectern needs Python 3.11 or newer; this is {sys.version.split()[0]}.", file=sys.stderr)
        return 1
    try:
        from sitebuilder.cli import main
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "sitebuilder":
            raise
        install = f"{Path(sys.executable).name} -m pip install -e {ROOT}"
        print(f"The Python package {error.name} is missing; run:  {install}", file=sys.stderr)
        return 1
    return main(sys.argv[1:], ROOT)


if __name__ == "__main__":
    sys.exit(main())
