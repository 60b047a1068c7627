"""BERT's tokenizer, uncased: words become the longest pieces that the vocabulary has.

The rules are those of `BertTokenizer` in Hugging Face's transformers; a test compares the two.
"""

import unicodedata
from collections.abc import Container

LONGEST = 100  # characters; a longer word is [UNK]

CJK = [
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
]


def tokenize(text: str, vocabulary: Container[str]) -> list[str]:
    """["[CLS]", "un", "##bel", "##ie", "##vable", "[SEP]"] for "Unbelievable"."""
    tokens = ["[CLS]"]
    for word in words(text):
        tokens += pieces(word, vocabulary)
    return [*tokens, "[SEP]"]


def words(text: str) -> list[str]:
    """Lower case, no accents; every punctuation mark and Chinese character is a word of its own."""
    text = "".join(spaced(c) for c in text if not unwanted(c))
    text = unicodedata.normalize("NFD", "".join(c.lower() for c in text))
    text = "".join(c for c in text if unicodedata.category(c) != "Mn")  # Mn: accents, set free by NFD
    return "".join(f" {c} " if is_punctuation(c) else c for c in text).split()


def pieces(word: str, vocabulary: Container[str]) -> list[str]:
    """The longest piece that fits, then the longest that continues it (with ##), and so on."""
    found: list[str] = []
    start = 0
    while start < len(word) <= LONGEST:
        for end in range(len(word), start, -1):
            piece = ("##" if start else "") + word[start:end]
            if piece in vocabulary:
                break
        else:
            return ["[UNK]"]
        found.append(piece)
        start = end
    return found or ["[UNK]"]


def spaced(c: str) -> str:
    if c in "\t\n\r" or unicodedata.category(c) == "Zs":
        return " "
    return f" {c} " if any(low <= ord(c) <= high for low, high in CJK) else c


def unwanted(c: str) -> bool:
    """Control characters, private and unassigned ones; not the tab and the ends of lines."""
    return c == "\ufffd" or (unicodedata.category(c).startswith("C") and c not in "\t\n\r")


def is_punctuation(c: str) -> bool:
    """Every printable ASCII character that is no letter or digit counts, also $ and +."""
    return unicodedata.category(c).startswith("P") or (c.isascii() and c.isprintable() and not c.isalnum())
