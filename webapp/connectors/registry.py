"""Which connector serves which kind, by the settings."""

from collections.abc import Mapping
from pathlib import Path

from standardwebhooks.webhooks import EmptyWebhookSecretError

from webapp.config import ConfigError, Settings, variable
from webapp.connectors.base import Connector
from webapp.connectors.message import MailRefused
from webapp.connectors.sandbox.connector import SandboxConnector
from webapp.connectors.sandbox.faults import Faults
from webapp.connectors.sandbox.ledger import Ledger
from webapp.connectors.smtp import SmtpConnector
from webapp.connectors.webhook import WebhookConnector


def connectors(settings: Settings) -> Mapping[str, Connector]:
    """The connector of every kind, compensations included.

    A kind and its way back share one: only who made an effect can take it back. Opens nothing;
    raises ConfigError.
    """
    sandbox = _sandbox(settings)
    reply = _smtp(settings) if settings.reply_connector == "smtp" else sandbox
    webhook = _webhook(settings)
    return {
        **dict.fromkeys(("refund", "refund.reversal"), sandbox),
        **dict.fromkeys(("label", "label.void"), sandbox),
        **dict.fromkeys(("reply", "reply.correction"), reply),
        **dict.fromkeys(("exchange", "exchange.restock"), sandbox),
        **dict.fromkeys(("webhook", "webhook.undo"), webhook),
    }


def ledger(settings: Settings) -> Ledger:
    """The sandbox's ledger, to read."""
    return Ledger(Path(settings.sandbox_path))


def check(settings: Settings) -> list[str]:
    """What is wrong with the connectors in use, for `doctor`; empty when nothing is."""
    try:
        in_use = {connector.name: connector for connector in connectors(settings).values()}
    except ConfigError as error:
        return [str(error)]
    return [wrong for connector in in_use.values() if (wrong := connector.check()) is not None]


def self_check(connector: Connector) -> str | None:
    """What keeps a connector from running effects that nobody approves; None: nothing.

    The sandbox always passes: what goes wrong there harms nobody, and asking would make its file.
    """
    return None if isinstance(connector, SandboxConnector) else connector.check()


def _sandbox(settings: Settings) -> Connector:
    try:
        faults = Faults.parse(settings.sandbox_faults)
    except ValueError as error:
        raise ConfigError(f"{variable('sandbox_faults')}: {error}") from None
    return SandboxConnector(
        ledger(settings),
        latency_seconds=settings.sandbox_latency_ms / 1000,
        settle_seconds=settings.sandbox_settle_ms / 1000,
        faults=faults,
    )


def _smtp(settings: Settings) -> Connector:
    if settings.smtp_url is None or settings.mail_from is None:
        raise ConfigError(f"{variable('smtp_url')}: the smtp connector needs it, and a sender")
    try:
        return SmtpConnector(settings.smtp_url, sender=settings.mail_from)
    except MailRefused as error:
        raise ConfigError(f"{variable('mail_from')}: {error}") from None


def _webhook(settings: Settings) -> Connector:
    try:
        return WebhookConnector(secret=settings.webhook_secret, allow=settings.webhook_allow)
    except (ValueError, EmptyWebhookSecretError) as error:
        raise ConfigError(f"{variable('webhook_secret')}: {error}") from None
