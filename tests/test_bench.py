"""The bench can be started: its options are read, and its report is printed from figures."""

from __future__ import annotations

import io

from rich.console import Console

from tests.bench.heatmap import hovers
from tests.bench.start import Figures, options, report


def test_the_bench_measures_seven_rounds_unless_told_otherwise() -> None:
    assert options([]).rounds == 7
    assert options(["--rounds", "3", "--no-slow"]).no_slow


def test_the_report_shows_medians_and_ratios() -> None:
    figures = Figures()
    figures.bare |= {"cold": [3000, 1000, 2000], "bytes": [9e6], "second": [1000]}
    for name in ("cold", "bytes", "second", "stop", "task", "click", "flooded", "heap"):
        figures.ours[name] += [500, 700, 600]
    said = io.StringIO()
    report(figures, Console(file=said, width=110))
    cold = next(line for line in said.getvalue().splitlines() if "fresh profile, Run" in line)
    assert (
        " ".join(cold.split()) == "fresh profile, Run → output 600 (500 to 700) 2000 (1000 to 3000) 0.30 0.38"
    )


def test_the_heat_map_bench_can_be_imported_without_bertviz_and_hovers_over_all_rows() -> None:
    assert len(hovers()) == 50
    assert all(0 < share < 1 for share in hovers())
