"""What is compared with the reference of lesson 31's encoder: 30 sentences, and 60 strings to tokenize."""

from __future__ import annotations

from pathlib import Path

SENTENCES_FILE = Path(__file__).resolve().parents[2] / "lessons/31-multi-head-attention/sentences.txt"

SENTENCES = [
    line.partition("|")[0].strip()
    for line in SENTENCES_FILE.read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
][:30]

TRAPS = [
    "",
    " ",
    "a",
    "Café naïve — déjà vu!",
    "Cafe\u0301 with a combining accent",
    "It's 3.14, isn't it?",
    "don’t “quote” … ‘me’",
    "unbelievable antidisestablishmentarianism",
    "东京 tower 你好",
    "日本語のテキスト",
    "한국어 문장",
    "مرحبا بالعالم",
    "שלום עולם",
    "हिन्दी में",
    "ไทย",
    "Ελληνικά ΟΔΟΣ",
    "Привет, мир!",
    "emoji 😀 here 👩‍👩‍👧 and 🏳️‍🌈",
    "a\tb\nc  d\r\ne",
    "x_y #tag @me $5 e-mail +1 =2 ~3 ^4 `5` |6|",
    "\u200bzero\u00a0width\u2009thin\u3000wide",
    "left\u200eto\u200fright\u202e marks",
    "İstanbul ıI STRASSE ß ẞ",
    "C++ & <b>html</b> {json: [1, 2]}",
    "ﬁ ligature ½ ² ™ ℃ Ⅷ",
    "ＦＵＬＬ　ｗｉｄｔｈ，１２３",
    "a" * 100,
    "a" * 101,
    "b" * 120 + " short",
    "\x00null \x07bell \x1b[31mred",
    "\ufffdreplacement \ufeffbom",
    "\ue000private",
    "soft\u00adhyphen",
    "1,000,000.00 and 10:30 and 50%",
    "https://example.org/path?query=1#part",
    "CamelCase snake_case kebab-case",
    "...!!!???",
    "«guillemets» „German“ 「日本」",
    "ångström Ångström A\u030angström",
    "naı̈ve",
    "Zürich’s Straße",
    "e\u0301\u0302\u0303 stacked",
    "𝓯𝓪𝓷𝓬𝔂 𝐛𝐨𝐥𝐝",
    "a/b\\c",
    "tab\vvertical\fform",
    "line\u2028separator\u2029paragraph\x85next",
    "pre-trained state-of-the-art",
    "I've we'll they're",
    "𠀀 rare CJK 㐀",
    "ｶﾀｶﾅ half-width",
    "×÷±√∞≈",
    "→←↑↓",
    "€£¥₹",
    "ñ ç ø ł đ",
    "Ǆ ǅ ǆ",
    "ſ long s",
    "the the the",
    "UPPER lower MiXeD",
    "ok\u034fgrapheme joiner",
    "\U0001f468\U0001f3fd skin",
]
