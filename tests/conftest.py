"""What all tests share: the built site, made once by the real command, and the rule that CI skips nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.project import build


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of this checkout, as `python build.py` writes it, once; its links fit any sub-path."""
    out = tmp_path_factory.mktemp("site") / "dist"
    build(out)
    return out


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A skipped test proves nothing: under CI=true it fails the run, whatever the reason."""
    reporter: pytest.TerminalReporter | None = session.config.pluginmanager.get_plugin("terminalreporter")
    assert reporter, "the count of skipped tests is pytest's terminal reporter's"
    skipped = len(reporter.stats.get("skipped", ()))
    if skipped and os.environ.get("CI") == "true" and session.exitstatus == pytest.ExitCode.OK:
        reporter.write_line(f"\nCI=true: {skipped} skipped, which counts as a failure", red=True, bold=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
