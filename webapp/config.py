"""Settings: the `UNDO_DESK_` variables, read once, checked whole, never changed afterwards."""

import os
import re
from base64 import b64decode
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from webapp import secret_key

PREFIX = "UNDO_DESK_"
KEY_AT_LEAST = 16
_HOST = re.compile(r"(?:[^\s:/?#@\[\]]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class ConfigError(Exception):
    """A setting is missing or wrong. The message starts with the variable's name."""


def variable(field: str) -> str:
    """The environment variable of a field of `Settings`."""
    return PREFIX + field.upper()


def _database_url(url: str) -> str:
    scheme, _, rest = url.partition("://")
    if scheme in ("postgres", "postgresql", "postgresql+psycopg") and rest:
        try:
            _ = urlsplit(f"//{rest.rpartition('@')[2]}").port
        except ValueError:
            raise ValueError("the port must be a number up to 65535") from None
        return f"postgresql+psycopg://{rest}"
    if scheme != "sqlite":
        raise ValueError("must be sqlite:///FILE or postgresql+psycopg://…")
    if rest in ("", "/") or rest.startswith("/:memory:"):
        raise ValueError("must name a file: web and worker share it")
    return url


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"no such time zone: {name!r} (write it like Europe/Vienna)") from None
    return name


def _http_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("must be http://HOST or https://HOST, without query or fragment")
    return url.rstrip("/")


def _smtp_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname or parts.port == 0:
        raise ValueError("must be smtp://[USER:PASSWORD@]HOST[:PORT] or smtps://…")
    return url


def _mail_address(text: str) -> str:
    if "@" not in text or any(ord(character) < 0x20 for character in text):
        raise ValueError("must be one mail address")
    return text


def _key(text: str) -> str:
    if 0 < len(text) < KEY_AT_LEAST:
        raise ValueError(f"must have at least {KEY_AT_LEAST} characters")
    return text


def _signing_secret(text: str) -> str:
    try:
        known = len(b64decode(text.removeprefix("whsec_"), validate=True))
    except ValueError:
        known = 0
    if known < KEY_AT_LEAST:
        raise ValueError(f"must be whsec_ and at least {KEY_AT_LEAST} bytes in base64")
    return text


def _host(text: str) -> str:
    if not _HOST.fullmatch(text):
        raise ValueError(f"{text!r} is not a host or host:port")
    return text


def _commas(value: object) -> object:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def _built(name: str) -> BeforeValidator:
    """Refuses a connector that the contract names and this version does not have."""

    def check(value: object) -> object:
        if value == name:
            raise ValueError(f"the {name} connector is not built yet; use sandbox")
        return value

    return BeforeValidator(check)


HttpUrl = Annotated[str, AfterValidator(_http_url)]
Commas = Annotated[tuple[str, ...], BeforeValidator(_commas)]
Host = Annotated[str, AfterValidator(_host)]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]


class Settings(BaseModel):
    """Every setting of the program; the names are the variables' names without the prefix."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, str_strip_whitespace=True
    )

    database_url: Annotated[str, AfterValidator(_database_url)] = Field(
        default="sqlite:///instance/undo-desk.db", repr=False
    )
    secret_key: Annotated[str, AfterValidator(_key)] = Field(default="", repr=False)
    """Empty until `serving`: only what signs needs one."""
    secret_key_fallbacks: Commas = Field(default=(), repr=False)
    base_url: HttpUrl = "http://127.0.0.1:8000"
    timezone: Annotated[str, AfterValidator(_zone)] = "UTC"

    refund_connector: Annotated[Literal["sandbox"], _built("stripe")] = "sandbox"
    label_connector: Annotated[Literal["sandbox"], _built("easypost")] = "sandbox"
    reply_connector: Literal["sandbox", "smtp"] = "sandbox"
    smtp_url: Annotated[str, AfterValidator(_smtp_url)] | None = Field(default=None, repr=False)
    mail_from: Annotated[str, AfterValidator(_mail_address)] | None = None
    sandbox_path: str = "instance/sandbox.db"
    sandbox_latency_ms: float = Field(default=0.0, ge=0, le=600_000, allow_inf_nan=False)
    sandbox_settle_ms: float = Field(default=0.0, ge=0, le=1e10, allow_inf_nan=False)
    sandbox_faults: str = ""
    webhook_secret: Annotated[str, AfterValidator(_signing_secret)] | None = Field(
        default=None, repr=False
    )
    webhook_allow: Annotated[tuple[Host, ...], BeforeValidator(_commas)] = ()

    connector_deadline_seconds: Seconds = 20.0
    lease_seconds: Seconds = 60.0
    sweep_seconds: Seconds = 5.0
    worker_slots: int = Field(default=16, ge=1, le=1024)
    retention_days: int = Field(default=400, ge=1)
    status_link_days: int = Field(default=90, ge=1, le=36_500)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.lease_seconds <= self.connector_deadline_seconds:
            raise ValueError(
                f"{variable('lease_seconds')}: must be longer than the "
                f"{self.connector_deadline_seconds:g} s of "
                f"{variable('connector_deadline_seconds')}, "
                "or a claim could be taken over while its effect still runs"
            )
        if self.reply_connector == "smtp":
            for name in ("smtp_url", "mail_from"):
                if getattr(self, name) is None:
                    raise ValueError(f"{variable(name)}: the smtp connector needs it")
        return self

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Self:
        """The settings in `environ` (the process's own when None). Unset and empty are the same.

        Raises ConfigError, naming every variable that is wrong.
        """
        source = os.environ if environ is None else environ
        given: dict[str, Any] = {}
        for field in cls.model_fields:
            value = source.get(variable(field), "").strip()
            if value:
                given[field] = value
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            raise ConfigError("; ".join(map(_explain, error.errors()))) from None

    def serving(self, host: str, port: int) -> Self:
        """These settings for a process that serves pages on `host:port`.

        Fills in the base URL where none is set, and the secret key: made once in the instance
        folder on loopback, required from the environment on any other address (ConfigError).
        """
        update: dict[str, str] = {}
        if "base_url" not in self.model_fields_set:
            update["base_url"] = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        if not self.secret_key:
            if host not in LOOPBACK:
                raise ConfigError(
                    f"{variable('secret_key')}: required when serving on {host}, "
                    "which is not a loopback address"
                )
            update["secret_key"] = secret_key.read_or_make()
        return self.model_copy(update=update)


def unknown_variables(environ: Mapping[str, str]) -> list[str]:
    """Variables with our prefix that mean nothing to this version, such as a misspelled one."""
    known = {variable(field) for field in Settings.model_fields}
    return sorted(name for name in environ if name.startswith(PREFIX) and name not in known)


def _explain(error: Any) -> str:
    """`VARIABLE: what is wrong` for one pydantic error; the value itself is never repeated."""
    message = str(error["msg"]).removeprefix("Value error, ")
    return f"{variable(str(error['loc'][0]))}: {message}" if error["loc"] else message
