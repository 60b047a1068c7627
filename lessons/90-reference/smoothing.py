"""What the reference lesson reads its numbers with; cells can import what lies beside their lesson."""

import csv
from pathlib import Path


def read_week(file: str = "week.csv") -> tuple[list[str], list[float]]:
    """The names of the days, and the temperature of each in degrees."""
    with Path(file).open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    return [row["day"] for row in rows], [float(row["degrees"]) for row in rows]
