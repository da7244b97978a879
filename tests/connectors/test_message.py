"""What a mail looks like on the wire, and what never becomes one."""

from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.connectors.message import Mail, MailRefused, Sender, build, message_id

DESK = Sender.parse("desk@example.com")
NOW = datetime(2026, 11, 30, 11, 45, 0, tzinfo=UTC)


def mail(**payload: str) -> Mail:
    whole = {"to": "ana@example.org", "subject": "Your order", "body": "Hello"} | payload
    return build(whole, key="act_1", sender=DESK, now=NOW)


def read(built: Mail) -> EmailMessage:
    message = message_from_bytes(built.content, policy=policy.default)
    assert isinstance(message, EmailMessage)
    return message


def text(message: EmailMessage) -> str:
    return str(message.get_content()).replace("\r\n", "\n")


def test_a_plain_mail() -> None:
    built = mail(in_reply_to="<question@example.org>")
    assert built.content.decode("ascii").splitlines() == [
        "From: desk@example.com",
        "To: ana@example.org",
        "Subject: Your order",
        "Date: Mon, 30 Nov 2026 11:45:00 +0000",
        "Message-ID: <act_1@example.com>",
        "In-Reply-To: <question@example.org>",
        "References: <question@example.org>",
        'Content-Type: text/plain; charset="utf-8"',
        "Content-Transfer-Encoding: 7bit",
        "MIME-Version: 1.0",
        "",
        "Hello",
    ]


def test_the_message_id_comes_from_the_key_alone() -> None:
    assert message_id("act_0195-a.b", "example.com") == "<act_0195-a.b@example.com>"
    strange = [
        message_id(key, "example.com") for key in ("a b", "a@b", "ä", ".a", "a..b", "a" * 99)
    ]
    assert len(set(strange)) == len(strange)
    assert all(len(found) == len("<>@example.com") + 64 for found in strange)


@given(
    subject=st.text(
        st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=200
    ).filter(lambda text: "=?" not in text and text.strip()),
    body=st.text(st.characters(exclude_categories=["Cc", "Cs"], include_characters="\n\t")),
)
def test_any_text_arrives_as_it_was_written(subject: str, body: str) -> None:
    message = read(mail(subject=subject, body=body))
    assert message["Subject"] == subject.strip()
    assert text(message).rstrip("\n") == body.rstrip("\n")
    assert all(len(line) <= 998 for line in mail(subject=subject, body=body).content.splitlines())


def test_long_lines_and_names_beyond_ascii() -> None:
    body = "Grüße an Łukasz 🎈 " * 200 + "\n.\n.. two dots\nFrom here on\n"
    assert text(read(mail(body=body))) == body


HOSTILE = [
    *("hi\r\nBcc: eve@example.net", "hi\nBcc: eve@example.net", "hi\rBcc: eve@example.net", "a\0b"),
    *("hi\x85Bcc: eve@example.net", "hi\u2028Bcc: x", "hi\u2029Bcc: x", "hi\x0bx", "hi\x1cx"),
    *("=?utf-8?q?hi=0ABcc=3A_eve=40example.net?=", "x =?utf-8?b?aGkKQmNjOiBl?= y", "=?", "\ud800"),
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("field", ["subject", "to", "in_reply_to"])
def test_nothing_becomes_a_header_of_its_own(field: str, text: str) -> None:
    with pytest.raises(MailRefused, match=rf"^{field}: "):
        mail(**{field: text})


@pytest.mark.parametrize("text", HOSTILE)
def test_the_sender_is_held_to_the_same(text: str) -> None:
    with pytest.raises(MailRefused, match=r"^sender: "):
        Sender.parse(f"{text} <desk@example.com>")


@pytest.mark.parametrize(
    "to",
    [
        *("", "ana", "@example.org", "ana@", "ana@b@c", "a@b.org, c@d.org", "a@b.org; c@d.org"),
        *(
            "a@b.org c@d.org",
            "Ana <a@b.org>",
            "<a@b.org>",
            "a@b.org (Ana)",
            '"a b"@c.org',
            "g:a@b.c;",
        ),
        *("a@[127.0.0.1]", "a\\@b.org", "a@" + "b" * 254),
    ],
)
def test_exactly_one_address(to: str) -> None:
    with pytest.raises(MailRefused, match=r"^to: exactly one plain address is needed"):
        mail(to=to)


@pytest.mark.parametrize("thread", ["no", "<a@b> <c@d>", "a b@c", "<ä@b>", "<@>"])
def test_one_thread(thread: str) -> None:
    with pytest.raises(MailRefused, match=r"^in_reply_to: "):
        mail(in_reply_to=thread)


def test_a_thread_without_brackets_gets_them() -> None:
    assert read(mail(in_reply_to="a@b"))["References"] == "<a@b>"


@pytest.mark.parametrize("body", ["a\0b", "a\x1bb", "a\x7fb", "\ud800"])
def test_control_characters_in_a_body(body: str) -> None:
    with pytest.raises(MailRefused, match=r"^body: "):
        mail(body=body)


def test_addresses_beyond_ascii() -> None:
    domain = mail(to="ana@bücher.example")
    assert (domain.to, domain.utf8) == ("ana@xn--bcher-kva.example", False)
    local = mail(to="añа@example.org")
    assert (local.to, local.utf8) == ("añа@example.org", True)
    with pytest.raises(MailRefused, match="not a mail domain"):
        mail(to="ana@-ü-.example")


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("desk@example.com", "desk@example.com"),
        ("<desk@example.com>", "desk@example.com"),
        ("The Desk <desk@example.com>", "The Desk <desk@example.com>"),
        ('"Söhne, Café &" <desk@example.com>', '"Söhne, Café &" <desk@example.com>'),
    ],
)
def test_a_sender_may_have_a_name(text: str, header: str) -> None:
    sender = Sender.parse(text)
    assert (sender.address, sender.header) == ("desk@example.com", header)
    built = build({"to": "a@b.org", "subject": "s", "body": "b"}, key="k", sender=sender, now=NOW)
    assert read(built)["From"].addresses[0].addr_spec == "desk@example.com"
