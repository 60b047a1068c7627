"""One or two sentences that help, for the errors a learner of attention meets.

A hint says what the message leaves out (which shapes, which axes, which cell) and what to try. Where there is
nothing to add, there is no hint.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from lectern import name_hints, shape_hints
from lectern.hint_rules import Case, Rule
from lectern.operands import Place
from lectern.whereabouts import Finder, nowhere

_NONE = "Something here is None. A function without `return` gives None; did one forget it?"
_MEMORY = "Python has 2 to 4 GB here. How large is the array? Multiply its shape, times 8 bytes for float64."
_NESTED = "This code is nested too deeply to be read: too many operators or brackets within each other."

# Hints that need to know nothing but the message.
_SENTENCES: tuple[tuple[type[BaseException], str, str], ...] = (
    # values
    (
        ValueError,
        r"truth value of an array",
        "Comparing arrays gives one answer per element. Say which you mean: (…).all() or (…).any(). "
        "Between arrays use & and |, with each side in brackets.",
    ),
    (
        ValueError,
        r"(assignment destination|output array) is read-only",
        "This array belongs to somebody else and may not be changed. Work on a copy: x = x.copy().",
    ),
    (
        ValueError,
        r"could not convert string to float",
        "This text is no number. Look at it with print(repr(…)).",
    ),
    (
        ValueError,
        r"Exceeds the limit .* for integer string",
        "This whole number has thousands of digits, and Python declines to write so many. "
        "Show its size instead: n.bit_length().",
    ),
    (ValueError, r"Singular matrix", "This matrix has no inverse: some row is a combination of the others."),
    (
        ValueError,
        r"Can't find a pure Python 3 wheel",
        "A package that contains compiled code runs in a browser only if it was built for browsers.",
    ),
    (
        ValueError,
        r"Can't fetch metadata for",
        "Check the name. A package that is not part of this site is fetched from the internet.",
    ),
    (ZeroDivisionError, r"", "Something is divided by 0. Print the divisor just before this line."),
    # types
    (
        TypeError,
        r"'(?:numpy\.)?float\d*' object cannot be interpreted as an integer",
        "Sizes and counts are whole numbers, and / always gives a float. Use //, as in d_model // h.",
    ),
    (
        TypeError,
        r"slice indices must be integers|only integer scalar",
        "An index must be a whole number. / always gives a float; // does not.",
    ),
    (
        IndexError,
        r"only integers, slices",
        "An index must be a whole number. / always gives a float; // does not.",
    ),
    (
        TypeError,
        r"Cannot cast ufunc .* to dtype\('u?int",
        "In-place operations such as += and /= keep the dtype, and this array holds integers. "
        "Write x = x / …, or start with floats: x.astype(float).",
    ),
    (TypeError, r"NoneType", _NONE),
    (AttributeError, r"'NoneType' object", _NONE),
    (
        TypeError,
        r"has no len\(\)|of unsized object",
        "This is a single number, not an array: it has no length.",
    ),
    (
        TypeError,
        r"missing \d+ required",
        "Compare the call with the line that starts with def: every parameter without = needs an argument.",
    ),
    (
        TypeError,
        r"'coroutine' object|coroutine",
        "An async function gives its result only after `await`: write await in front of the call.",
    ),
    # what a program runs into
    (
        RuntimeError,
        r"asyncio\.run\(\) cannot be called|stack switching",
        "In a cell you can await directly: write `await main()` instead of asyncio.run(main()).",
    ),
    (
        RuntimeError,
        r"can't start new thread",
        "A browser gives Python one thread only. Call the function directly.",
    ),
    (RecursionError, r"during (?:compilation|ast construction)", _NESTED),
    (
        RecursionError,
        r"",
        "A function calls itself without end. Which case should stop it, and is that case ever reached?",
    ),
    (MemoryError, r"[Pp]arser stack", _NESTED),
    (MemoryError, r"^Unable to allocate", _MEMORY),
    (
        MemoryError,
        r"",
        "Python has 2 to 4 GB here. What grows in this cell: a list in a loop, a text, an array? "
        "`del` frees what is not needed.",
    ),
    (ValueError, r"array is too big|Maximum allowed dimension exceeded", _MEMORY),
    (
        OverflowError,
        r"index-sized integer|C ssize_t",
        "Lengths and indices end at 2,147,483,647 in a browser's Python. Work with smaller pieces.",
    ),
    (
        IndexError,
        r"^(?:list|tuple|string) (?:assignment )?index out of range",
        "Indices start at 0, so the last one is len(…) − 1. It can also be written −1.",
    ),
    (KeyError, r"", "The dictionary has no such key. list(d) shows those that it has."),
    (AssertionError, r"^$", "The condition after `assert` was false."),
    # syntax
    (
        IndentationError,
        r"expected an indented block",
        "The line before ends with a colon, so this one must be indented, usually by four spaces.",
    ),
    (
        IndentationError,
        r"unexpected indent",
        "This line is indented, but no block was opened before it. Remove the spaces at its start.",
    ),
    (
        IndentationError,
        r"unindent does not match",
        "The indentation here equals that of no line above. Four spaces per level is the custom.",
    ),
    (
        SyntaxError,
        r"was never closed",
        "This bracket is opened and not closed. Often it is missing at the line's end.",
    ),
    (
        SyntaxError,
        r"too many nested parentheses",
        "Brackets can stand at most 200 deep in each other. Name the inner parts, each on a line of its own.",
    ),
    (
        SyntaxError,
        r"expected ':'",
        "Lines that begin with def, if, else, for, while, with or class end with a colon.",
    ),
    (SyntaxError, r"instead of '='|[Mm]aybe you meant '=='", "One = assigns, two == compare."),
    (
        SyntaxError,
        r"'return' outside function",
        "return belongs inside a def. Is this line indented as it should be?",
    ),
    (SyntaxError, r"'await' outside async function", "Inside a function, await needs `async def`."),
    (SyntaxError, r"unterminated", "The text that starts here has no closing quotation mark."),
)

RULES: tuple[Rule, ...] = (
    *shape_hints.RULES,
    *name_hints.RULES,
    *(Rule(kind, re.compile(pattern, re.DOTALL), hint) for kind, pattern, hint in _SENTENCES),
)


def hint_for(
    error: BaseException,
    message: str,
    place: Place | None,
    namespace: Mapping[str, object],
    where: Finder = nowhere,
) -> str | None:
    """The hint of the first rule that fits, or None. Never raises."""
    try:
        for rule in RULES:
            if isinstance(error, rule.kind) and (found := rule.pattern.search(message)):
                case = Case(error, found, place, namespace, where)
                if hint := rule.hint if isinstance(rule.hint, str) else rule.hint(case):
                    return hint
    except Exception:  # a hint is a courtesy; the error itself must still reach the student
        return None
    return None
