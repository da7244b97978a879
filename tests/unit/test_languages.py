"""Languages: what is said to customers is said whole in each, and a further one is one file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from babel.messages.extract import extract
from babel.messages.pofile import read_po
from jinja2.ext import babel_extract

from webapp.domain.kinds.registry import KINDS
from webapp.paths import LOCALES, TEMPLATES
from webapp.web.languages import choose, message, placeholders, read

PAGES = Path(__file__).resolve().parents[2] / "webapp" / "web" / "pages"
KEYWORDS = {"say": None, "_say": None, "message": None}
CATALOGS = sorted(LOCALES.glob("*.po"))


def texts() -> Iterator[str]:
    """Every text that a customer may read, as the code has it."""
    yield from (kind.customer_line for kind in KINDS.values())
    sources: list[tuple[Any, Path]] = [("python", PAGES / "status_words.py")]
    sources += [(babel_extract, path) for path in (TEMPLATES / "status").glob("*.html")]
    for method, path in sources:
        with path.open("rb") as file:
            yield from (str(text) for _, text, _, _ in extract(method, file, KEYWORDS))


def test_the_texts_are_found() -> None:
    found = set(texts())
    assert {"Scheduled", "This isn't right", "{subject} is scheduled for {when}."} <= found
    assert len(found) > 50


@pytest.mark.parametrize("path", CATALOGS, ids=lambda path: path.stem)
def test_every_text_has_its_translation(path: Path) -> None:
    """None is missing, none is left over, none is a guess, and each has the text's placeholders."""
    with path.open("rb") as file:
        found = [one for one in read_po(file, locale=path.stem, abort_invalid=True) if one.id]
    assert {str(one.id) for one in found} == set(texts())
    assert [one.id for one in found if one.fuzzy or not one.string] == []
    for one in found:
        assert placeholders(str(one.id)) == placeholders(str(one.string)), one.id


def test_hindi_is_written_in_hindi() -> None:
    for words in read()["hi"].values():
        assert not any(letter.isascii() and letter.isalpha() for letter in _bare(words)), words


def _bare(words: str) -> str:
    return words.format_map(dict.fromkeys(placeholders(words), ""))


@pytest.mark.parametrize(
    ("wanted", "tag"),
    [
        (["hi-IN"], "hi-IN"),
        (["hi_IN"], "hi-IN"),
        (["hi-IN-u-nu-deva"], "hi-IN"),
        (["HI"], "hi"),
        (["de-DE", "hi"], "hi"),
        (["en-IN", "hi"], "en-IN"),
        ([None, "en"], "en"),
        (["de-DE"], "en"),
        ([], "en"),
        (["*", "", "../../x", "hi\n", "x" * 5_000, "-"], "en"),
        ([*["de"] * 10, "hi"], "en"),
    ],
)
def test_the_first_that_we_have_is_taken(wanted: list[str | None], tag: str) -> None:
    assert choose(read(), wanted).tag == tag


def write(folder: Path, name: str, *entries: str) -> Path:
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n'
    path = folder / f"{name}.po"
    path.write_text("\n\n".join([head, *entries]) + "\n")
    return folder


def test_a_third_language_is_one_file(tmp_path: Path) -> None:
    """Also one that is written from right to left, and whose words bend with the kind."""
    folder = write(
        tmp_path,
        "ar",
        'msgid "Done"\nmsgstr "تم"',
        'msgid "{subject} is ready"\nmsgstr "{subject} جاهز"',
        'msgctxt "label"\nmsgid "{subject} is ready"\nmsgstr "{subject} جاهزة"',
    )
    arabic = choose(read(folder), ["ar-EG"])
    assert (arabic.tag, arabic.direction) == ("ar-EG", "rtl")
    assert arabic.say("Done") == "تم"
    words = message("{subject} is ready")
    assert arabic.say(words, "refund", subject="X") == "X جاهز"
    assert arabic.say(words, "label", subject="X") == "X جاهزة"
    assert arabic.say("On hold") == "On hold", "what it lacks is said in English"


def test_values_cannot_become_markup() -> None:
    said = choose(read(), ["en"]).say("{subject} isn't", subject="<b>&")
    assert said == "&lt;b&gt;&amp; isn't"


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ('msgid "for {when}"\nmsgstr "um {wann}"', "other placeholders"),
        ('msgid "for {when}"\nmsgstr "um"', "other placeholders"),
        ('msgid "for', "de.po"),
    ],
)
def test_a_file_that_would_break_a_page_is_refused_at_the_start(
    tmp_path: Path, entry: str, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        read(write(tmp_path, "de", entry))
