"""`reply` and `reply.correction` as mail.

A server takes responsibility with its answer to the final dot (RFC 5321, 4.2.5 and 6.1): whatever
goes wrong before that dot leaves has had no effect, whatever goes wrong between the dot and the
answer may have. A server neither dedupes nor can be asked, so nothing here sends a mail twice.
"""

import re
import smtplib
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote, urlsplit

from webapp.connectors.base import SETTLED, Effect, EffectFailed, EffectRequest
from webapp.connectors.deadline import open_socket, tls_context, until
from webapp.connectors.message import Mail, MailRefused, Sender, build
from webapp.failpoints import REPLIED, SENT, reach

CHECK_SECONDS = 5.0

_LOOPBACK = re.compile(r"localhost|127\.\d+\.\d+\.\d+|::1")
_LINE_DOT = re.compile(rb"(?m)^\.")


class SmtpConnector:
    """Mail through the server at `smtp://[USER:PASSWORD@]HOST[:PORT]` or `smtps://…`.

    An `smtp://` connection is upgraded (STARTTLS) where the server offers it. Certificates are
    verified unless the server is this machine; a password goes out encrypted, or to this machine.
    """

    name = "smtp"
    dedupes = False
    can_look_up = False

    def __init__(self, url: str, *, sender: str) -> None:
        parts = urlsplit(url)
        self._tls = parts.scheme == "smtps"
        self._host = parts.hostname or ""
        self._port = parts.port or (465 if self._tls else 25)
        self._user = unquote(parts.username or "")
        self._password = unquote(parts.password or "")
        self._local = bool(_LOOPBACK.fullmatch(self._host))
        self._context = tls_context(verify=not self._local)
        self._sender = Sender.parse(sender)

    def send(self, request: EffectRequest) -> Effect:
        now = datetime.now(UTC)
        try:
            mail = build(request.payload, key=request.key, sender=self._sender, now=now)
        except MailRefused as error:
            raise EffectFailed(str(error), permanent=True, may_have_happened=False) from None
        with until(request.deadline), self._session() as server:
            _announce(server, mail)
            answer = _finish(server, mail)
            reach(self.name, REPLIED)
        return Effect(SETTLED, mail.message_id, {"answer": answer})

    def look_up(self, request: EffectRequest) -> Effect | None:
        raise EffectFailed(
            f"a mail server cannot be asked whether it took {request.key}",
            permanent=True,
            may_have_happened=True,
        )

    def check(self) -> str | None:
        try:
            with until(time.monotonic() + CHECK_SECONDS), self._session():
                return None
        except EffectFailed as error:
            return f"mail server {self._host}:{self._port}: {error}"

    @contextmanager
    def _session(self) -> Iterator[smtplib.SMTP]:
        """A greeted, encrypted, signed-in server. What fails here is no mail's fault: temporary."""
        server = _Server(self._host, self._context if self._tls else None)
        try:
            try:
                _expect(server.connect(self._host, self._port), 220)
                server.ehlo_or_helo_if_needed()
                if not self._tls and server.has_extn("starttls"):
                    server.starttls(context=self._context)
                    server.ehlo_or_helo_if_needed()
                if self._user:
                    self._sign_in(server)
            except smtplib.SMTPResponseException as error:
                words = f"{error.smtp_code} {_text(error.smtp_error)}"
                raise _not_sent(f"the mail server answered {words}") from error
            except (smtplib.SMTPException, OSError) as error:
                raise _not_sent(str(error)) from error
            yield server
        finally:
            server.leave()

    def _sign_in(self, server: smtplib.SMTP) -> None:
        if not (self._local or isinstance(server.sock, ssl.SSLSocket)):
            raise _not_sent("the mail server offers no encryption for the password")
        server.login(self._user, self._password)


class _Server(smtplib.SMTP):
    """smtplib over a socket that keeps the whole deadline."""

    sock: Any

    def __init__(self, host: str, tls: ssl.SSLContext | None) -> None:
        # With a name for the greeting smtplib would look up its own, outside any deadline.
        super().__init__(local_hostname="[127.0.0.1]")
        # `starttls` verifies this name; smtplib sets it only when its constructor connects.
        self._host = host
        self._tls_context = tls

    def _get_socket(self, host: str, port: int, timeout: object) -> Any:  # noqa: ARG002
        sock = open_socket(host, port)
        own = sock.getsockname()[0]
        self.local_hostname = f"[IPv6:{own}]" if ":" in own else f"[{own}]"
        if self._tls_context is None:
            return sock
        try:
            return self._tls_context.wrap_socket(sock, server_hostname=host)
        except BaseException:
            sock.close()
            raise

    def leave(self) -> None:
        """Say goodbye without waiting for the answer, which changes nothing."""
        try:
            if self.sock is not None:
                self.putcmd("QUIT")
        except (smtplib.SMTPException, OSError):
            pass
        finally:
            self.close()


def _announce(server: smtplib.SMTP, mail: Mail) -> None:
    """Everything but the final dot: the server has not taken the mail yet."""
    options = []
    if mail.utf8:
        if not server.has_extn("smtputf8"):
            raise EffectFailed(
                "to: the mail server takes no addresses beyond ASCII",
                permanent=True,
                may_have_happened=False,
            )
        options = ["SMTPUTF8", "BODY=8BITMIME"]
    try:
        _expect(server.mail(mail.sender, options), 250)
        _expect(server.rcpt(mail.to), 250, 251, 252)
        _expect(server.docmd("DATA"), 354)
        server.send(_LINE_DOT.sub(b"..", mail.content))
    except smtplib.SMTPResponseException as error:
        raise _refused(error.smtp_code, error.smtp_error) from error
    except (smtplib.SMTPException, OSError) as error:
        raise _not_sent(str(error)) from error


def _finish(server: smtplib.SMTP, mail: Mail) -> str:
    """The final dot, and the server's answer to it."""
    try:
        server.send(b".\r\n" if mail.content.endswith(b"\r\n") else b"\r\n.\r\n")
        reach("smtp", SENT)
        code, words = server.getreply()
    except (smtplib.SMTPException, OSError) as error:
        raise _unanswered(str(error)) from error
    if 400 <= code < 600:
        raise _refused(code, words)
    if not 200 <= code < 300:
        raise _unanswered(f"{code} {_text(words)} is no answer to a mail")
    return f"{code} {_text(words)}"


def _expect(answer: tuple[int, bytes], *codes: int) -> None:
    if answer[0] not in codes:
        raise smtplib.SMTPResponseException(*answer)


def _refused(code: int, words: bytes | str) -> EffectFailed:
    return EffectFailed(
        f"the mail server answered {code} {_text(words)}",
        permanent=500 <= code < 600,
        may_have_happened=False,
        detail={"code": code},
    )


def _not_sent(why: str) -> EffectFailed:
    return EffectFailed(f"not sent: {why}", permanent=False, may_have_happened=False)


def _unanswered(why: str) -> EffectFailed:
    return EffectFailed(
        f"the mail went out, but the server's answer did not come: {why}",
        permanent=False,
        may_have_happened=True,
    )


def _text(words: bytes | str) -> str:
    text = words.decode("utf-8", "replace") if isinstance(words, bytes) else words
    return " ".join(text.replace("\0", "").split())[:500]
