"""Mail, against a real SMTP server (aiosmtpd) and servers that fail at a chosen byte."""

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from tests.connectors.servers import CERTIFICATE, Handler, drip, idle, listening, refused_port
from webapp.connectors.base import EffectFailed, EffectRequest
from webapp.connectors.smtp import SmtpConnector

SENDER = "The Desk <desk@example.com>"


class Box:
    """An aiosmtpd handler that keeps what it took and answers as told."""

    def __init__(self, **answers: str) -> None:
        self.taken: list[Envelope] = []
        self.sessions: list[Session] = []
        self._answers = answers

    async def handle_MAIL(self, *event: Any) -> str:  # noqa: N802
        *_, envelope, address, _options = event
        envelope.mail_from = address
        return self._answers.get("mail", "250 OK")

    async def handle_RCPT(self, *event: Any) -> str:  # noqa: N802
        *_, envelope, address, _options = event
        envelope.rcpt_tos.append(address)
        return self._answers.get("rcpt", "250 OK")

    async def handle_DATA(self, _: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        if "data" not in self._answers:
            self.taken.append(envelope)
            self.sessions.append(session)
        return self._answers.get("data", "250 taken as 42")


@contextmanager
def serving(box: Box, **options: Any) -> Iterator[int]:
    # The controller calls its own port to see whether it is up: it can't be 0.
    controller = _started(box, **options)
    try:
        yield controller.port
    finally:
        controller.stop()


def _started(box: Box, tries: int = 5, **options: Any) -> Controller:
    controller = Controller(box, hostname="127.0.0.1", port=refused_port(), **options)
    try:
        controller.start()
    except OSError:
        # Somebody took the port in between.
        controller.loop.close()
        if not tries:
            raise
        return _started(box, tries - 1, **options)
    return controller


def reply(seconds: float = 10, **payload: str) -> EffectRequest:
    whole = {"to": "ana@example.org", "subject": "Grüße", "body": "Hallo Zoë\n.\n..\n"} | payload
    return EffectRequest("act_1", "reply", whole, "1", 1, time.monotonic() + seconds)


def failure(port: int, request: EffectRequest, scheme: str = "smtp") -> EffectFailed:
    connector = SmtpConnector(f"{scheme}://127.0.0.1:{port}", sender=SENDER)
    with pytest.raises(EffectFailed) as failed:
        connector.send(request)
    return failed.value


def test_a_mail_arrives_whole() -> None:
    box = Box()
    with serving(box) as port:
        connector = SmtpConnector(f"smtp://127.0.0.1:{port}", sender=SENDER)
        effect = connector.send(reply(in_reply_to="<q@example.org>"))
        again = connector.send(reply(in_reply_to="<q@example.org>"))
        assert connector.check() is None
    assert (effect.status, effect.provider_id) == ("settled", "<act_1@example.com>")
    assert effect.detail == {"answer": "250 taken as 42"}
    # The same on every attempt, so that a reader's program can tell duplicates.
    assert again.provider_id == effect.provider_id
    envelope = box.taken[0]
    assert (envelope.mail_from, envelope.rcpt_tos) == ("desk@example.com", ["ana@example.org"])
    assert isinstance(envelope.content, bytes)
    message = message_from_bytes(envelope.content, policy=policy.default)
    assert message["Subject"] == "Grüße"
    assert message["Message-ID"] == "<act_1@example.com>"
    assert message["In-Reply-To"] == message["References"] == "<q@example.org>"
    assert message.get_content().replace("\r\n", "\n") == "Hallo Zoë\n.\n..\n"


@pytest.mark.parametrize("stage", ["mail", "rcpt", "data"])
@pytest.mark.parametrize(("answer", "permanent"), [("451 later", False), ("550 never", True)])
def test_a_no_at_any_stage_had_no_effect(stage: str, answer: str, permanent: bool) -> None:
    with serving(Box(**{stage: answer})) as port:
        failed = failure(port, reply())
    assert (failed.permanent, failed.may_have_happened) == (permanent, False)
    assert answer in str(failed)


def test_hostile_payloads_reach_no_server() -> None:
    failed = failure(refused_port(), reply(subject="=?utf-8?q?hi=0ABcc=3A_eve=40example.net?="))
    assert (failed.permanent, failed.may_have_happened) == (True, False)
    assert str(failed).startswith("subject: ")


def test_nobody_listens() -> None:
    port = refused_port()
    failed = failure(port, reply())
    assert (failed.permanent, failed.may_have_happened) == (False, False)
    wrong = SmtpConnector(f"smtp://127.0.0.1:{port}", sender=SENDER).check()
    assert wrong is not None
    assert f"127.0.0.1:{port}" in wrong


def scripted(at_data: bytes, at_dot: bytes | None, *, dripping: bool = False) -> Handler:
    """A server that answers DATA with `at_data` and the final dot with `at_dot`, then leaves."""

    def serve(connection: socket.socket, over: threading.Event) -> None:
        lines = connection.makefile("rb")
        connection.sendall(b"220 scripted\r\n")
        while not (line := lines.readline()).upper().startswith(b"DATA"):
            connection.sendall(b"250 fine\r\n")
            assert line
        connection.sendall(at_data)
        if at_dot is None:
            return
        while lines.readline() not in (b".\r\n", b""):
            pass
        if dripping:
            drip(connection, at_dot, over)
        else:
            connection.sendall(at_dot)

    return serve


@pytest.mark.parametrize(
    ("at_data", "at_dot", "may_have_happened"),
    [
        # Gone before the final dot: certainly not sent.
        (b"", None, False),
        (b"hm\r\n", None, False),
        (b"200 odd\r\n", None, False),
        # Gone after it, or incomprehensible: nobody knows.
        (b"354 go on\r\n", b"", True),
        (b"354 go on\r\n", b"25", True),
        (b"354 go on\r\n", b"what?\r\n", True),
        (b"354 go on\r\n", b"354 what\r\n", True),
        (b"354 go on\r\n", b"250-" + b"x" * 10_000 + b"\r\n", True),
        # A no is a no.
        (b"354 go on\r\n", b"452 full\r\n", False),
    ],
)
def test_the_final_dot_divides(
    at_data: bytes, at_dot: bytes | None, may_have_happened: bool
) -> None:
    with listening(scripted(at_data, at_dot)) as server:
        failed = failure(server.port, reply())
    assert (failed.permanent, failed.may_have_happened) == (False, may_have_happened)


def test_a_server_that_hangs_ends_at_the_deadline() -> None:
    began = time.monotonic()
    with listening(idle) as server:
        failed = failure(server.port, reply(0.3))
    assert not failed.may_have_happened
    assert time.monotonic() - began < 4.0


def test_an_answer_to_the_dot_that_drips_in_is_unknown() -> None:
    began = time.monotonic()
    script = scripted(b"354 go on\r\n", b"250-so\r\n" * 1000, dripping=True)
    with listening(script) as server:
        failed = failure(server.port, reply(0.4))
    assert (failed.permanent, failed.may_have_happened) == (False, True)
    assert time.monotonic() - began < 4.0


def _context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context


def test_encryption_is_used_where_it_is_offered() -> None:
    box = Box()
    with serving(box, tls_context=_context(), require_starttls=True) as port:
        SmtpConnector(f"smtp://127.0.0.1:{port}", sender=SENDER).send(reply())
    with serving(box, ssl_context=_context()) as port:
        SmtpConnector(f"smtps://127.0.0.1:{port}", sender=SENDER).send(reply())
    assert [session.ssl is not None for session in box.sessions] == [True, False]
    assert len(box.taken) == 2


def test_a_handshake_that_hangs_ends_at_the_deadline() -> None:
    began = time.monotonic()
    with listening(idle) as server:
        failed = failure(server.port, reply(0.3), "smtps")
    assert not failed.may_have_happened
    assert time.monotonic() - began < 4.0


def test_a_certificate_of_another_machine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.getaddrinfo

    def look_up(host: str, port: int, *args: Any, **more: Any) -> Any:
        return real("127.0.0.1" if host == "mail.test" else host, port, *args, **more)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    box = Box()
    with serving(box, tls_context=_context()) as port:
        connector = SmtpConnector(f"smtp://mail.test:{port}", sender=SENDER)
        with pytest.raises(EffectFailed, match="certificate") as failed:
            connector.send(reply())
    assert (failed.value.permanent, failed.value.may_have_happened) == (False, False)
    assert not box.taken


def _authenticate(*arguments: Any) -> AuthResult:
    data = arguments[-1]
    right = isinstance(data, LoginPassword) and data.password == b"p@ss:word"
    return AuthResult(success=right, handled=False)


def test_signing_in() -> None:
    box = Box()
    options = {"tls_context": _context(), "authenticator": _authenticate, "auth_required": True}
    with serving(box, **options) as port:
        url = "smtp://desk:{}@127.0.0.1:" + str(port)
        SmtpConnector(url.format("p%40ss%3Aword"), sender=SENDER).send(reply())
        wrong = SmtpConnector(url.format("guess"), sender=SENDER)
        with pytest.raises(EffectFailed, match="535") as failed:
            wrong.send(reply())
        assert "535" in (wrong.check() or "")
    # The settings are at fault, not the mail.
    assert (failed.value.permanent, failed.value.may_have_happened) == (False, False)
    assert len(box.taken) == 1


def test_a_password_never_goes_out_in_the_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.connectors.smtp._LOOPBACK", __import__("re").compile("never"))
    heard: list[bytes] = []

    def listen(connection: socket.socket, _: threading.Event) -> None:
        connection.sendall(b"220 scripted\r\n")
        for line in connection.makefile("rb"):
            heard.append(line)
            connection.sendall(b"250 AUTH PLAIN LOGIN\r\n")

    with listening(listen) as server:
        connector = SmtpConnector(f"smtp://u:secret@127.0.0.1:{server.port}", sender=SENDER)
        with pytest.raises(EffectFailed, match="no encryption for the password"):
            connector.send(reply())
    assert not any(line.startswith(b"AUTH") for line in heard)


def test_addresses_beyond_ascii_need_a_server_that_takes_them() -> None:
    box = Box()
    with serving(box, enable_SMTPUTF8=True) as port:
        SmtpConnector(f"smtp://127.0.0.1:{port}", sender=SENDER).send(reply(to="añ@example.org"))
    assert box.taken[0].rcpt_tos == ["añ@example.org"]
    with serving(box, enable_SMTPUTF8=False) as port:
        failed = failure(port, reply(to="añ@example.org"))
    assert (failed.permanent, failed.may_have_happened) == (True, False)


def test_it_cannot_be_asked_and_says_so() -> None:
    connector = SmtpConnector("smtp://127.0.0.1", sender=SENDER)
    assert (connector.dedupes, connector.can_look_up) == (False, False)
    with pytest.raises(EffectFailed) as failed:
        connector.look_up(reply())
    assert failed.value.may_have_happened
