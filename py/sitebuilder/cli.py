"""The command line: build (unless another is named), check, serve, new. Exits 0, 1 (faults) or 2 (usage)."""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import traceback
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path

from sitebuilder.build import Options, build
from sitebuilder.cache import cache_folder
from sitebuilder.errors import BuildError, LessonErrors
from sitebuilder.faults import suggest
from sitebuilder.memory import Memory
from sitebuilder.report import STYLES, Report
from sitebuilder.scaffold import new_lesson
from sitebuilder.site import Address, Folders
from sitebuilder.standby import INTERRUPTED, answer
from sitebuilder.workshop import Workshop

COMMANDS = ("build", "check", "serve", "new")
ISSUES = "https://github.com/lectern-lessons/lectern/issues"


def main(arguments: Sequence[str], root: Path) -> int:
    """Run one command for the project in `root`; returns the exit code. Authors never see a traceback."""
    asked = read(arguments)
    report = Report(style=getattr(asked, "format", "text"))
    out = Path(asked.out).resolve() if getattr(asked, "out", None) else root / "dist"
    return _settle(lambda: _run(asked, root, out, report), report, out if asked.command == "build" else None)


def _run(asked: argparse.Namespace, root: Path, out: Path, report: Report) -> int:
    """Do what was asked."""
    if root.is_relative_to(out):
        raise BuildError(f"--out {asked.out} holds the project itself; choose one inside or beside it.")
    folders = Folders.of(root, Path(asked.lessons).resolve() if asked.lessons else None)
    if asked.command == "new":
        report.begun(new_lesson(folders, asked.name, asked.title), asked.lessons)
        return 0
    address = Address.read(asked.url, asked.base)
    if asked.command == "serve":
        from sitebuilder.serve import Serving, serve  # uvicorn and starlette only for those who need them

        again = [*_repeat(asked, "lessons", "wheels", "base", "url"), "--out", str(out)]
        again += [] if asked.models else ["--without-models"]
        return serve(Serving(folders, out, address.base or "/", asked.port, asked.open, again), report)
    tools = Workshop(folders, report.console, _wheels(asked.wheels))
    writes, external = asked.command == "build", getattr(asked, "external", False)
    options = Options(folders, address, out if writes else None, external, asked.models)
    served, memory = getattr(asked, "served", False), Memory()

    def once() -> int:
        report.built(build(options, tools, report, memory), served=served)
        return 0

    return answer(lambda: _settle(once, report, out)) if served else once()


def _settle(act: Callable[[], int], report: Report, out: Path | None) -> int:
    """Act, and say what went wrong, if so; `out` is the folder that then is as it was."""
    try:
        return act()
    except LessonErrors as error:
        report.faults(error.errors, kept=out if out and out.is_dir() else None)
    except BuildError as error:
        report.trouble(str(error))
    except KeyboardInterrupt:
        report.trouble("Stopped before the end; nothing was changed.")
        return INTERRUPTED
    except Exception as error:
        report.trouble(_own_mistake(error))
    return 1


def read(arguments: Sequence[str]) -> argparse.Namespace:
    """What was typed. Exits with 2 and a sentence if some of it has no meaning."""
    top = parser()
    asked, rest = top.parse_known_args(with_command(arguments))
    if rest:
        top.error(_meaningless(rest[0], asked.command, named=asked.command in arguments))
    return asked


def _meaningless(word: str, command: str, *, named: bool) -> str:
    """Why `word` says nothing to `command`, which was `named` or stands for none, and what would."""
    if word.startswith("-"):
        option, own = word.partition("=")[0], options(command)
        others = [f"`{other}`" for other in COMMANDS if option in options(other)]
        if others:
            return f"`{command}` has no option {option}, only {' and '.join(others)}"
        close = get_close_matches(option, own, n=1, cutoff=0.75)
        remedy = f"did you mean {close[0]}?" if close else f"`{command} --help` lists those it has"
        return f"there is no option {option}; {remedy}"
    if word in COMMANDS:
        return f"`{word}` has to come first: python build.py {word} …"
    if command == "new":
        return f"`{word}` is one word too many: `new` takes one name, and --title a title in quotation marks"
    if named or word[0].isdigit() or "/" in word:
        return f"`{command}` takes no names: it always goes through all lessons. Leave `{word}` out"
    return f"there is no command `{word}`; {suggest(word, COMMANDS)}"


def options(command: str) -> list[str]:
    """The long options of a command, as its help lists them."""
    help_of_all = io.StringIO()
    with contextlib.redirect_stdout(help_of_all), contextlib.suppress(SystemExit):
        parser().parse_args([command, "--help"])
    return sorted(set(re.findall(r"--[a-z-]+", help_of_all.getvalue())))


def with_command(arguments: Sequence[str]) -> list[str]:
    """The arguments with `build` put first where no command is named."""
    first = arguments[0] if arguments else ""
    return list(arguments) if first in (*COMMANDS, "-h", "--help") else ["build", *arguments]


def parser() -> argparse.ArgumentParser:
    """What can be typed after `python build.py`."""
    top = argparse.ArgumentParser(
        prog="python build.py",
        description="Turn the lessons into a site of plain files, or say what is wrong with them.",
        epilog="Without a command: build. `python build.py COMMAND --help` lists its options.",
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    kinds = {
        "build": "write the site into dist/",
        "check": "look for faults as build does, and write nothing",
        "serve": "build, show the site on this machine, and rebuild whenever a source changes",
        "new": "begin a lesson: a small whole one, with comments that teach the format",
    }
    for name, does in kinds.items():
        command = commands.add_parser(name, help=does, description=f"{does[0].upper()}{does[1:]}.")
        command.add_argument("--lessons", metavar="DIR", help="folder of the lessons (default: lessons/)")
        if name == "new":
            command.add_argument("name", metavar="NN-slug", help="its folder, such as 32-positional-encoding")
            command.add_argument("--title", help="its title (default: the words of its name)")
            continue
        command.add_argument("--base", metavar="/x/y/", help="path below the host where the site will live")
        command.add_argument("--url", metavar="URL", help="public address of the site; says the base as well")
        command.add_argument(
            "--wheels", metavar="DIR", help="folder with files of the runtime, to save a download"
        )
        command.add_argument(
            "--without-models",
            dest="models",
            action="store_false",
            help="leave out trained models that lessons bring along, and their download; their cells say so",
        )
        if name in ("build", "check"):
            command.add_argument(
                "--format",
                choices=STYLES,
                default="text",
                help="write faults as `path:line: …` (text) or as annotations of a GitHub workflow (github)",
            )
        if name == "check":
            command.add_argument(
                "--external", action="store_true", help="also ask other sites whether links to them are alive"
            )
        else:
            command.add_argument("--out", metavar="DIR", help="folder to write (default: dist/)")
        if name == "build":
            command.add_argument("--served", action="store_true", help=argparse.SUPPRESS)
        if name == "serve":
            command.add_argument("--port", type=_port, default=8000, help="port to listen on (default: 8000)")
            command.add_argument("--no-open", dest="open", action="store_false", help="do not open a browser")
    return top


def _port(text: str) -> int:
    if not text.isdigit() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"{text} is not a port; use a number from 1 to 65535")
    return int(text)


def _wheels(folder: str | None) -> Path | None:
    if folder is None:
        return None
    if not Path(folder).is_dir():
        raise BuildError(f"--wheels {folder} is not a folder.")
    return Path(folder).resolve()


def _repeat(asked: argparse.Namespace, *names: str) -> list[str]:
    """Options as they were typed, for another process."""
    return [word for name in names if (value := getattr(asked, name)) for word in (f"--{name}", value)]


def _own_mistake(error: Exception) -> str:
    """What to say when the builder itself is at fault; the traceback goes into a file."""
    note = cache_folder() / "last-crash.txt"
    try:
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
        what = f"and attach {note}"
    except OSError:
        what = "with this line"
    message = " ".join(str(error).split())
    return (
        f"The builder itself broke ({type(error).__name__}{f': {message}' if message else ''}). "
        f"This is not your mistake, and the old site is as it was. Please tell us at {ISSUES} {what}."
    )
