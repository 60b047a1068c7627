"""Colours as OKLCH, read from CSS, and their contrast as WCAG 2.2 measures it. Pure.

Matrices: CSS Color Module Level 4, section 18; luminance and contrast: WCAG 2.2, definitions.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

_HEX = re.compile(r"#([0-9a-f]{3}|[0-9a-f]{6})", re.IGNORECASE)
_OKLCH = re.compile(r"oklch\(\s*([\d.]+)(%?)\s+([\d.]+)\s+(-?[\d.]+)(?:deg)?\s*\)", re.IGNORECASE)

Triple = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Colour:
    """Lightness 0 to 1, chroma 0 to about 0.37, hue in degrees."""

    lightness: float
    chroma: float
    hue: float

    def at(self, lightness: float, chroma: float | None = None) -> Colour:
        """The same hue elsewhere."""
        return Colour(lightness, self.chroma if chroma is None else chroma, self.hue)

    def css(self) -> str:
        return f"oklch({self.lightness:.3f} {self.chroma:.3f} {self.hue:.1f})"

    def hex(self) -> str:
        """As `#rrggbb`; what a screen cannot show is cut to what it can."""
        return "#" + "".join(f"{round(255 * _encoded(part)):02x}" for part in self.linear())

    def linear(self) -> Triple:
        """Red, green and blue in light (not gamma-encoded), each 0 to 1."""
        a = self.chroma * math.cos(math.radians(self.hue))
        b = self.chroma * math.sin(math.radians(self.hue))
        long = (self.lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
        medium = (self.lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
        short = (self.lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
        red = 4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short
        green = -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short
        blue = -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short
        return _cut(red), _cut(green), _cut(blue)

    def luminance(self) -> float:
        red, green, blue = self.linear()
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def parse_colour(text: str) -> Colour | None:
    """The colour of `#rgb`, `#rrggbb` or `oklch(L C H)`; None for anything else."""
    if match := _OKLCH.fullmatch(text.strip()):
        lightness = float(match[1]) / (100 if match[2] else 1)
        return Colour(lightness, float(match[3]), float(match[4])) if lightness <= 1 else None
    if match := _HEX.fullmatch(text.strip()):
        digits = match[1] if len(match[1]) == 6 else "".join(digit * 2 for digit in match[1])
        return _from_linear(*(_decoded(int(digits[i : i + 2], 16) / 255) for i in (0, 2, 4)))
    return None


def contrast(one: Colour, other: Colour) -> float:
    """1 (none) to 21 (black on white)."""
    darker, lighter = sorted((one.luminance(), other.luminance()))
    return (lighter + 0.05) / (darker + 0.05)


def _from_linear(red: float, green: float, blue: float) -> Colour:
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    medium = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    lightness = 0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short
    a = 1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short
    b = 0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short
    return Colour(min(lightness, 1.0), math.hypot(a, b), math.degrees(math.atan2(b, a)) % 360)


def _cut(part: float) -> float:
    return min(max(part, 0.0), 1.0)


def _decoded(part: float) -> float:
    """From sRGB's encoding to light."""
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def _encoded(part: float) -> float:
    return 12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055
