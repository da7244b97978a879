"""The languages that customers are written to in: English is in the code, each other one a file.

`locales/hi.po` maps every text that is marked with `message` or `say` to Hindi. A text may stand
there once more under the name of a kind of action (`msgctxt "label"`), where a language has to
know what it speaks of.
"""

import html
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from string import Formatter

from babel import Locale, UnknownLocaleError
from babel.messages.catalog import Message
from babel.messages.pofile import PoFileError, read_po
from markupsafe import Markup

from webapp.paths import LOCALES

Catalog = Mapping[tuple[str, str], str]
"""By the English text and the kind that it is said of (empty: of any)."""

_SOURCE = Locale("en")
_ASKED_AT_MOST = 10
"""Languages that a browser may wish for, in its order; the rest of a long list is not read."""


@dataclass(frozen=True, slots=True)
class Language:
    """One reader's: `locale` is how dates and numbers are written in it."""

    locale: Locale = _SOURCE
    catalog: Catalog = field(default_factory=dict, repr=False)

    @property
    def tag(self) -> str:
        """For `lang=`, as BCP 47 has it."""
        return str(self.locale).replace("_", "-")

    @property
    def direction(self) -> str:
        """For `dir=`: `ltr` or `rtl`."""
        return str(self.locale.text_direction)

    def say(self, text: str, of: str = "", **values: object) -> Markup:
        """`text` in this language, for the body of a page; `of` is a kind of action.

        What no catalog has is said in English.
        """
        words = self.catalog.get((text, of)) or self.catalog.get((text, "")) or text
        return Markup(html.escape(words, quote=False)).format(**values)  # noqa: S704 - ours


def message(text: str) -> str:
    """Marks a text that is said elsewhere, for the catalogs."""
    return text


def choose(catalogs: Mapping[str, Catalog], wanted: Iterable[str | None]) -> Language:
    """The first of `wanted` (BCP 47 tags) that we have; else English."""
    for tag in list(wanted)[:_ASKED_AT_MOST]:
        locale = understood(tag or "")
        if locale is None:
            continue
        if locale.language == _SOURCE.language:
            return Language(locale)
        for name in (f"{locale.language}_{locale.script or locale.territory}", locale.language):
            if name in catalogs:
                return Language(locale, catalogs[name])
    return Language()


def understood(tag: str) -> Locale | None:
    """As much of a tag as CLDR knows, `hi-IN-u-nu-deva` is `hi_IN`; None: not its language."""
    parts = tag.replace("_", "-").split("-")[:5]
    for end in range(len(parts), 0, -1):
        try:
            return Locale.parse("-".join(parts[:end]), sep="-")
        except (UnknownLocaleError, ValueError):
            continue
    return None


@cache
def read(folder: Path = LOCALES) -> Mapping[str, Catalog]:
    """Every catalog of `folder` by its name, `hi` or `pt_BR`.

    Raises ValueError for a file that can't be read, or whose placeholders are not the text's.
    """
    return {path.stem: dict(_texts(path)) for path in sorted(folder.glob("*.po"))}


def _texts(path: Path) -> Iterable[tuple[tuple[str, str], str]]:
    try:
        with path.open("rb") as file:
            found = list(read_po(file, locale=path.stem, abort_invalid=True))
    except (PoFileError, UnknownLocaleError, ValueError) as error:
        raise ValueError(f"{path.name}: {error}") from error
    for one in found:
        if one.id and one.string and not one.fuzzy:
            yield _text(path, one)


def _text(path: Path, one: Message) -> tuple[tuple[str, str], str]:
    text, translated = str(one.id), str(one.string)
    if placeholders(text) != placeholders(translated):
        raise ValueError(f"{path.name}: other placeholders than in the text: {text}")
    return (text, one.context or ""), translated


def placeholders(text: str) -> frozenset[str]:
    """The names in braces."""
    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name is not None)
