"""The command line: addresses, usage, exit codes, and sentences instead of tracebacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitebuilder.cli import main
from sitebuilder.errors import BuildError
from sitebuilder.site import Address, github_pages
from tests.workbench import Bench, lesson


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.mark.parametrize(
    ("repository", "address"),
    [
        ("https://github.com/Owner/repo", "https://owner.github.io/repo/"),
        ("https://github.com/owner/repo.git", "https://owner.github.io/repo/"),
        ("https://github.com/Owner/owner.github.io/", "https://owner.github.io/"),
        ("https://gitlab.com/owner/repo", None),
        ("", None),
    ],
)
def test_github_pages_has_a_rule_for_addresses(repository: str, address: str | None) -> None:
    assert github_pages(repository) == address


@pytest.mark.parametrize(
    ("url", "base", "read"),
    [
        (None, None, Address(None, None)),
        (None, "course/site", Address(None, "/course/site/")),
        (None, "/", Address(None, "/")),
        ("https://example.org", None, Address("https://example.org/", "/")),
        ("https://example.org/a/b", "/a/b/", Address("https://example.org/a/b/", "/a/b/")),
    ],
)
def test_an_address_is_read_leniently(url: str | None, base: str | None, read: Address) -> None:
    assert Address.read(url, base) == read


@pytest.mark.parametrize(
    ("url", "base"),
    [
        (None, ""),
        (None, "/a b/"),
        (None, "/a/../b/"),
        (None, "https://example.org/a/"),
        (None, "/a//b/"),
        ("example.org", None),
        ("https://[/", None),
        ("https://[::1", None),
        ("https://example.org/?x=1", None),
        ("https://example.org/a/", "/b/"),
    ],
)
def test_an_address_that_cannot_be_is_refused_in_a_sentence(url: str | None, base: str | None) -> None:
    with pytest.raises(BuildError, match=r"^--(base|url) .*\.$"):
        Address.read(url, base)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--base", "/a b/"], "✗ --base /a b/ is not a path"),
        (["check", "--lessons", "nowhere"], "✗ There is no folder"),
        (["--wheels", "nowhere"], "✗ --wheels nowhere is not a folder."),
        (["--out", "."], "holds the project itself"),
        (
            [],
            "lesson.md:8:5: unknown block `wihtout`; did you mean `without`?\n✗ 1 fault. Nothing was",
        ),
    ],
)
def test_the_command_line_ends_with_1_and_a_sentence(
    bench: Bench,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    said: str,
) -> None:
    bench.write({"01-first/lesson.md": lesson(1, "::: wihtout\nx\n:::\n")})
    monkeypatch.chdir(bench.folder)
    assert main(arguments, bench.folder) == 1
    assert said in capsys.readouterr().err
    assert not bench.out.exists()


@pytest.mark.parametrize("arguments", [["--bsae", "/x/"], ["build", "extra"], ["serve", "--port", "none"]])
def test_wrong_usage_ends_with_2(bench: Bench, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments, bench.folder)
    assert caught.value.code == 2


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("bild", "there is no command `bild`; did you mean `build`?"),
        ("xyz", "there is no command `xyz`; use `build`, `check`, `serve` or `new`"),
        ("check 32-foo", "`check` takes no names: it always goes through all lessons. Leave `32-foo` out"),
        ("32-foo", "`build` takes no names: it always goes through all lessons. Leave `32-foo` out"),
        ("--base /x/ check", "`check` has to come first: python build.py check …"),
        ("check --extrenal", "there is no option --extrenal; did you mean --external?"),
        ("--wihtout-models", "there is no option --wihtout-models; did you mean --without-models?"),
        ("serve --prot=8", "there is no option --prot; did you mean --port?"),
        ("build --port 8", "`build` has no option --port, only `serve`"),
        ("check --verbose", "there is no option --verbose; `check --help` lists those it has"),
        ("new 32-foo Two words", "`Two` is one word too many: `new` takes one name, and --title a title"),
    ],
)
def test_what_has_no_meaning_is_named_with_what_has(
    bench: Bench, capsys: pytest.CaptureFixture[str], typed: str, said: str
) -> None:
    with pytest.raises(SystemExit):
        main(typed.split(), bench.folder)
    assert f"error: {said}" in capsys.readouterr().err
