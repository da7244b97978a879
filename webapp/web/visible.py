"""Text of others as it is shown: nothing in it may steer, hide or reorder what stands around it.

Bidirectional controls, zero-width and control characters are shown by their code point (Unicode
TR 36, 2.10 and TR 55). Joiners stay where scripts and emoji need them: between two characters
that are not ASCII.
"""

import re
import unicodedata

from markupsafe import Markup, escape

_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
    # a joiner beside ASCII, or at an end, joins nothing
    "|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)


def visible(text: object) -> Markup:
    """`text` escaped, with each character that steers or hides shown by its code point."""
    parts: list[Markup] = []
    at = 0
    plain_text = str(text)
    for found in _STEERING.finditer(plain_text):
        parts += [escape(plain_text[at : found.start()]), _shown(found[0])]
        at = found.end()
    return Markup("").join([*parts, escape(plain_text[at:])])


def plain(text: object) -> str:
    """The same for attributes and titles: `[U+202E]`."""
    return _STEERING.sub(lambda found: f"[{_code(found[0])}]", str(text))


def shortened(text: str, most: int) -> str:
    """At most `most` characters, cut between words where there are any, with an ellipsis."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    head = line[: most - 1]
    cut = head.rfind(" ")
    return f"{head[:cut] if cut > most // 2 else head}…"


def _shown(character: str) -> Markup:
    name = unicodedata.name(character, "control character").lower()
    return Markup('<span class="ctl" title="{}">{}</span>').format(name, _code(character))


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"
