"""Python source as HTML: Pygments' tokens in a few short classes of our own, text kept to the character."""

from __future__ import annotations

from functools import cache
from itertools import groupby
from operator import itemgetter

from markupsafe import Markup, escape
from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType, is_token_subtype

from sitebuilder.notation import NO_NOTATION, Notation

_LEXER = PythonLexer()

# First match wins. k keyword, s string, n number, c comment, f name being defined, b builtin.
_CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Keyword, "k"),
    (Operator.Word, "k"),
    (String, "s"),
    (Number, "n"),
    (Comment, "c"),
    (Name.Function, "f"),
    (Name.Class, "f"),
    (Name.Decorator, "f"),
    (Name.Builtin.Pseudo, ""),  # `self` is a name like any other
    (Name.Builtin, "b"),
    (Name.Exception, "b"),
)


def highlight_python(source: str, notation: Notation = NO_NOTATION) -> Markup:
    """Spans over `source`; the text content of the result equals it exactly, whatever it holds."""
    # get_tokens() would unify newlines and strip; the unprocessed tokens keep every character.
    tokens = ((_class(kind, text, notation), text) for _, kind, text in _LEXER.get_tokens_unprocessed(source))
    parts = []
    for name, run in groupby(tokens, key=itemgetter(0)):
        text = preformatted("".join(text for _, text in run))
        parts.append(f'<span class="{name}">{text}</span>' if name else text)
    return Markup("".join(parts))


def preformatted(text: str) -> Markup:
    """Escaped text for `<pre>`, to the character as far as HTML can.

    Carriage returns are written `&#13;`, because an HTML parser makes bare ones newlines. It drops a NUL, and
    knows no way to write one, so that becomes the replacement character.
    """
    return Markup(str(escape(text)).replace("\r", "&#13;").replace("\0", "\ufffd"))


def _class(kind: _TokenType, text: str, notation: Notation) -> str:
    if is_token_subtype(kind, Name) and (symbol := notation.css_class(text)):
        return symbol
    return _class_of(kind)


@cache
def _class_of(kind: _TokenType) -> str:
    return next((name for family, name in _CLASSES if is_token_subtype(kind, family)), "")
