"""The colours of a course: those of tokens.css, or what `[theme]` in course.toml puts in their place.

An author chooses up to three colours, each for light and for dark; the shades that belong to them follow. All
text must stand out from what it stands on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from markupsafe import Markup

from sitebuilder.colour import Colour, contrast, parse_colour
from sitebuilder.errors import LessonError
from sitebuilder.faults import Faults, suggest
from sitebuilder.tomlfile import line_of

TOKENS = "css/tokens.css"
"""Below static/."""

KEYS = ("accent", "ink", "paper")
MODES = ("light", "dark")

Theme = Mapping[str, Mapping[str, str]]
"""`[theme]` as written: key → mode → colour."""

_TOKEN = re.compile(
    r"\s*--([\w-]+):\s*(?:light-dark\((oklch\([^)]*\)),\s*(oklch\([^)]*\))\)|var\(--([\w-]+)\));"
)
_TEXT, _SHAPE = 4.5, 3.0
_PAIRS: tuple[tuple[str, str, float], ...] = (
    *(
        (text, paper, _TEXT)
        for text in ("ink", "ink-soft", "accent")
        for paper in ("paper", "paper-raised", "paper-sunk")
    ),
    *(
        (text, "paper", _TEXT)
        for text in ("ink-faint", "accent-strong", "q", "k", "v", "scores", "weights", "bad", "good")
    ),
    *(
        (f"code-{kind}", "paper-sunk", _TEXT)
        for kind in ("keyword", "string", "number", "comment", "function")
    ),
    *((text, f"{text}-wash", _TEXT) for text in ("good", "bad", "warn", "accent", "q", "k", "v")),
    *(("ink", f"{wash}-wash", _TEXT) for wash in ("accent", "good", "bad", "warn")),
    ("on-accent", "accent", _TEXT),
    ("rule-strong", "paper", _SHAPE),
    ("heat-hi", "heat-lo", _SHAPE),
)
"""What is set on what, and the contrast that WCAG 2.2 AA asks for (1.4.3 text, 1.4.11 shapes)."""


@dataclass(frozen=True, slots=True)
class Token:
    """A colour of tokens.css in both modes, and its line there."""

    light: Colour
    dark: Colour
    line: int


def check_theme(theme: Mapping[str, Any], source: str, faults: Faults) -> None:
    """Note unknown keys, missing modes and what is no colour. `source` is course.toml."""
    for key, modes in theme.items():
        line = line_of(source, key, table="theme")
        remedy = f'write {key} = {{ light = "#…", dark = "#…" }}'
        if key not in KEYS:
            faults.add(line, f"unknown key `{key}` in the theme", suggest(key, KEYS, listing=True))
            continue
        if not isinstance(modes, dict):
            faults.add(line, f"`{key}` needs a colour for light and one for dark", remedy)
            continue
        for mode in modes.keys() - set(MODES):
            faults.add(line, f"unknown key `{mode}` of `{key}`", suggest(mode, MODES))
        for mode in MODES:
            if mode not in modes:
                faults.add(line, f"`{key}` has no colour for {mode}", remedy)
            elif parse_colour(str(modes[mode])) is None:
                problem = f"`{modes[mode]}` is no colour that can be used here"
                faults.add(line, problem, "write it as #rrggbb or oklch(lightness chroma hue)")


def overrides(theme: Theme) -> dict[str, tuple[Colour, Colour]]:
    """The tokens that a sound theme changes, each as (light, dark)."""
    changed: dict[str, tuple[Colour, Colour]] = {}
    for key, shades in _SHADES.items():
        if key in theme:
            light, dark = (parse_colour(theme[key][mode]) for mode in MODES)
            assert light
            assert dark
            for name, (in_light, in_dark) in shades.items():
                changed[name] = (_shade(light, in_light), _shade(dark, in_dark))
    return changed


def theme_faults(
    theme: Theme, source: str, course: PurePath, css: str, tokens: PurePath
) -> Iterator[LessonError]:
    """Text that is too faint: one fault for each key and mode that made some so, else one for each token.

    `source` is course.toml, `css` is tokens.css; the paths are shown.
    """
    known, changed = read_tokens(css), overrides(theme)
    worst: dict[tuple[str, str], tuple[float, str, int]] = {}
    for mode in MODES:
        for text, ground, least in _PAIRS:
            if text not in known or ground not in known:
                continue
            found = contrast(*(_in(mode, changed.get(name), known[name]) for name in (text, ground)))
            keys = [key for key in KEYS if key in theme and _SHADES[key].keys() & {text, ground}]
            at = keys[0] if keys else f"--{text}"
            said = f"in {mode} mode --{text} on --{ground} has a contrast of {found:.2f}, less than {least}"
            if found < least and found / least < worst.get((at, mode), (1.0, "", 0))[0]:
                worst[at, mode] = (found / least, said, known[text].line)
    for (at, mode), (_, said, line) in worst.items():
        darker = (mode == "light") != (at in ("paper", "--on-accent"))
        remedy = f"make `{at}` {'darker' if darker else 'lighter'}"
        if at in theme:
            yield LessonError(course, line_of(source, at, table="theme"), said, remedy)
        else:
            yield LessonError(tokens, line, said, remedy)


def read_tokens(css: str) -> dict[str, Token]:
    """The colours of tokens.css by name; a token that is another's `var()` has that one's colours."""
    found: dict[str, Token] = {}
    for number, line in enumerate(css.splitlines(), 1):
        match = _TOKEN.match(line)
        if match and match[4] in found:
            found[match[1]] = Token(found[match[4]].light, found[match[4]].dark, number)
        elif match and match[2] and (light := parse_colour(match[2])) and (dark := parse_colour(match[3])):
            found[match[1]] = Token(light, dark, number)
    return found


@dataclass(frozen=True, slots=True)
class PageColours:
    """What a page says of its colours: a style after the style sheet, and the paper for the frame."""

    style: Markup = field(default_factory=Markup)
    light: str = ""
    dark: str = ""

    @classmethod
    def of(cls, theme: Theme, css: str) -> PageColours:
        """For a sound theme and the text of tokens.css."""
        rules = [f"--{name}:light-dark({a.css()},{b.css()})" for name, (a, b) in overrides(theme).items()]
        style = Markup(f":root{{{';'.join(rules)}}}" if rules else "")
        token = read_tokens(css).get("paper")
        paper = overrides(theme).get("paper") or (token and (token.light, token.dark))
        return cls(style, paper[0].hex(), paper[1].hex()) if paper else cls(style)


def _in(mode: str, changed: tuple[Colour, Colour] | None, token: Token) -> Colour:
    light, dark = changed or (token.light, token.dark)
    return light if mode == "light" else dark


Shade = tuple[float, float]
"""How lightness is shifted from the chosen colour, and what its chroma is multiplied by."""


def _shade(colour: Colour, shade: Shade | float) -> Colour:
    """A shifted shade; or, for a number alone, that lightness with a sixth of the chroma."""
    if isinstance(shade, float):
        return colour.at(shade, colour.chroma / 6)
    shift, factor = shade
    return colour.at(min(max(colour.lightness + shift, 0.0), 1.0), colour.chroma * factor)


_SHADES: Mapping[str, Mapping[str, tuple[Shade | float, Shade | float]]] = {
    "accent": {
        "accent": ((0, 1), (0, 1)),
        "accent-strong": ((-0.08, 1), (0.08, 0.75)),
        "accent-wash": (0.95, 0.27),
        "on-accent": (0.99, 0.18),
        "weights": ((0, 1), (0, 1)),
        "weights-wash": (0.95, 0.27),
        "heat-hi": ((-0.13, 1), (0.1, 0.9)),
    },
    "ink": {
        "ink": ((0, 1), (0, 1)),
        "ink-soft": ((0.185, 1), (-0.155, 1)),
        "ink-faint": ((0.265, 1), (-0.235, 1)),
    },
    "paper": {
        "paper": ((0, 1), (0, 1)),
        "paper-raised": ((0.013, 0.5), (0.033, 1)),
        "paper-sunk": ((-0.023, 1.5), (-0.03, 1)),
        "rule": ((-0.085, 2), (0.125, 1.1)),
        "heat-lo": ((0, 1), (0, 1)),
    },
}
"""For each key the tokens that follow it, in light and in dark; differences as in tokens.css."""
