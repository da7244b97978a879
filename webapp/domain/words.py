"""Text as words, for searching: the same in whatever is kept and in whatever is asked.

Both databases get the words made here, so that both find the same, and no word of anybody's can
be a part of a query's syntax: a word has letters, digits and their marks, nothing else.
"""

import unicodedata
from itertools import islice

LONGEST = 64
"""Characters of a word that count; a longer one is found by these."""
MOST = 5_000
"""Words of one action that are kept."""
_ACCENTS = range(0x300, 0x370)
_UNSPACED = (range(0x3040, 0x3100), range(0x3400, 0xA000), range(0xF900, 0xFB00))
"""Kana and ideographs, which are written without spaces: each is a word, a run of them a phrase."""


class _Letters(dict[int, str | None]):
    """What each character becomes, worked out once: itself, a space or nothing."""

    def __missing__(self, code: int) -> str | None:
        self[code] = found = _letter(code)
        return found


def _letter(code: int) -> str | None:
    letter = chr(code)
    group = unicodedata.category(letter)
    # Nobody sees zero-width and direction marks, so they part no word; nor does an accent.
    if group == "Cf" or code in _ACCENTS:
        return None
    if any(code in block for block in _UNSPACED):
        return f" {letter} "
    return letter if group[0] in "LNM" else " "


_LETTERS = _Letters()


def words(text: str) -> list[str]:
    """`Crème brûlée, order #O-99` -> `creme brulee order o 99`"""
    plain = text if text.isascii() else unicodedata.normalize("NFKD", text)
    found = plain.casefold().translate(_LETTERS).split()
    return [word[:LONGEST] for word in islice(found, MOST)]
