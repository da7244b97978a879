"""One mail, built so that nothing in a payload becomes a header of its own.

Python's parser and generator turn an encoded word (RFC 2047) that hides a line break into a real
header (`=?utf-8?q?hi=0ABcc=3A…?=`), so encoded words and control characters are refused in every
header, and what was serialised is parsed again and compared with what was meant.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_string, policy
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Any

import idna

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_NOT_IN_A_BODY = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_ENCODED_WORD = re.compile(r"=\?")
_ADDRESS = re.compile(r"[^\s@<>()\[\]:;,\\\"]{1,64}@[^\s@<>()\[\]:;,\\\"]{1,253}")
_MESSAGE_ID = re.compile(r"<?([^\s<>@]+@[^\s<>@]+)>?")
_WIRE = policy.SMTP.clone(cte_type="7bit")
_WIRE_UTF8 = _WIRE.clone(utf8=True)


class MailRefused(Exception):
    """This mail must not be sent. The message names the field."""


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail ready for the wire."""

    sender: str
    to: str
    """As in the envelope: the domain in ASCII."""
    message_id: str
    content: bytes
    """With CRLF, at most 998 bytes a line, dots not yet doubled."""
    utf8: bool
    """Whether the server must offer SMTPUTF8 (RFC 6531)."""


@dataclass(frozen=True, slots=True)
class Sender:
    """Who the desk's mails are from."""

    address: str
    """As in the envelope: the domain in ASCII."""
    header: str
    """As in `From`, perhaps with a name."""

    @classmethod
    def parse(cls, text: str) -> "Sender":
        """From `desk@example.com` or `Name <desk@example.com>`. Raises MailRefused."""
        name, bracket, rest = _header("sender", text).rpartition("<")
        address = _ascii_domain(_one_address("sender", rest.removesuffix(">") if bracket else text))
        if not name.strip():
            return cls(address, address)
        local, _, domain = address.rpartition("@")
        return cls(address, str(Address(name.strip(' "'), local, domain)))


def message_id(key: str, domain: str) -> str:
    """The Message-ID of a key: the same on every attempt, so that duplicates can be told."""
    if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}", key) or ".." in key or key[-1] == ".":
        key = hashlib.sha256(key.encode()).hexdigest()
    return f"<{key}@{domain}>"


def build(payload: Mapping[str, Any], *, key: str, sender: Sender, now: datetime) -> Mail:
    """The mail of a `reply` or `reply.correction`. Raises MailRefused."""
    to = _ascii_domain(_one_address("to", payload["to"]))
    headers = {
        "From": sender.header,
        "To": to,
        "Subject": _header("subject", payload["subject"]).strip(),
        "Date": format_datetime(now.astimezone(UTC)),
        "Message-ID": message_id(key, sender.address.rpartition("@")[2]),
    }
    if payload.get("in_reply_to"):
        headers["In-Reply-To"] = headers["References"] = _thread(payload["in_reply_to"])
    body = payload["body"]
    if _NOT_IN_A_BODY.search(body):
        raise MailRefused("body: control characters are refused")
    body = body.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n") + "\n"
    utf8 = not (to + sender.address).isascii()
    content = _serialise(headers, body, utf8=utf8)
    _compare(content, headers, body)
    return Mail(sender.address, to, headers["Message-ID"], content, utf8)


def _serialise(headers: Mapping[str, str], body: str, *, utf8: bool) -> bytes:
    mail = EmailMessage(policy=_WIRE_UTF8 if utf8 else _WIRE)
    for name, value in headers.items():
        mail[name] = value
    mail.set_content(body)
    return mail.as_bytes()


def _compare(content: bytes, headers: Mapping[str, str], body: str) -> None:
    """What a receiver reads must be what was meant: no header more, none changed."""
    read = message_from_string(content.decode(), policy=policy.default)
    own = ["Content-Type", "Content-Transfer-Encoding", "MIME-Version"]
    if sorted(name.lower() for name in read) != sorted(n.lower() for n in [*headers, *own]):
        raise MailRefused("the mail does not read as it was meant: its headers changed")
    for name, value in headers.items():
        if str(read[name]) != value:
            raise MailRefused(f"{name.lower()}: does not read as it was meant")
    if [address.addr_spec for address in read["To"].addresses] != [headers["To"]]:
        raise MailRefused("to: exactly one address is needed")
    if read.is_multipart() or read.get_content().replace("\r\n", "\n") != body:
        raise MailRefused("body: does not read as it was meant")
    if any(len(line) > 998 for line in content.split(b"\r\n")):
        raise MailRefused("the mail has a line longer than mail allows")


def _header(field: str, text: str) -> str:
    if _CONTROL.search(text):
        raise MailRefused(f"{field}: control characters are refused")
    if _ENCODED_WORD.search(text):
        raise MailRefused(f"{field}: '=?' is refused, mail programs read it as an encoded word")
    return text


def _one_address(field: str, text: str) -> str:
    if not _ADDRESS.fullmatch(_header(field, text)):
        raise MailRefused(f"{field}: exactly one plain address is needed, like ana@example.com")
    return text


def _ascii_domain(address: str) -> str:
    local, _, domain = address.rpartition("@")
    if domain.isascii():
        return address
    try:
        return f"{local}@{idna.encode(domain, uts46=True).decode()}"
    except idna.IDNAError:
        raise MailRefused(f"{domain} is not a mail domain") from None


def _thread(text: str) -> str:
    found = _MESSAGE_ID.fullmatch(_header("in_reply_to", text).strip())
    if not found or not text.isascii():
        raise MailRefused("in_reply_to: one Message-ID is needed, like <id@example.com>")
    return f"<{found[1]}>"
