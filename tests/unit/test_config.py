"""Settings are parsed once, and a wrong one is refused by its variable's name."""

import stat
import threading
from pathlib import Path

import pytest

from webapp import secret_key
from webapp.config import ConfigError, Settings, unknown_variables


def test_defaults_are_the_contract() -> None:
    settings = Settings.from_env({})
    assert settings.database_url == "sqlite:///instance/undo-desk.db"
    assert settings.sandbox_path == "instance/sandbox.db"
    assert settings.timezone == "UTC"
    assert (settings.connector_deadline_seconds, settings.lease_seconds) == (20, 60)
    assert (settings.sweep_seconds, settings.worker_slots) == (5, 16)
    assert settings.retention_days == 400
    assert settings.reply_connector == settings.refund_connector == "sandbox"
    assert settings.webhook_secret is None
    assert settings.webhook_allow == ()


def test_empty_is_unset() -> None:
    assert Settings.from_env({"UNDO_DESK_TIMEZONE": " ", "UNDO_DESK_WORKER_SLOTS": ""}) == (
        Settings.from_env({})
    )


def test_lists_are_comma_separated() -> None:
    settings = Settings.from_env({"UNDO_DESK_WEBHOOK_ALLOW": "localhost:9000, 10.0.0.1 ,"})
    assert settings.webhook_allow == ("localhost:9000", "10.0.0.1")


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_postgresql_always_means_psycopg(scheme: str) -> None:
    settings = Settings.from_env({"UNDO_DESK_DATABASE_URL": f"{scheme}://u@h/d"})
    assert settings.database_url == "postgresql+psycopg://u@h/d"


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("DATABASE_URL", "mysql://h/d", "sqlite"),
        ("DATABASE_URL", "sqlite://", "must name a file"),
        ("DATABASE_URL", "sqlite:///:memory:", "must name a file"),
        ("BASE_URL", "ftp://h", "http"),
        ("TIMEZONE", "Mars/Olympus", "Mars/Olympus"),
        ("TIMEZONE", "../../etc/passwd", "no such time zone"),
        ("REFUND_CONNECTOR", "stripe", "not built yet"),
        ("LABEL_CONNECTOR", "easypost", "not built yet"),
        ("REFUND_CONNECTOR", "paypal", "sandbox"),
        ("REPLY_CONNECTOR", "pigeon", "smtp"),
        ("SMTP_URL", "http://h", "smtp"),
        ("SMTP_URL", "smtp://h:port", "ort"),
        ("MAIL_FROM", "desk", "mail address"),
        ("CONNECTOR_DEADLINE_SECONDS", "0", "greater than 0"),
        ("CONNECTOR_DEADLINE_SECONDS", "nan", "finite"),
        ("LEASE_SECONDS", "soon", "number"),
        ("SWEEP_SECONDS", "-1", "greater than 0"),
        ("WORKER_SLOTS", "0", "greater than or equal to 1"),
        ("WORKER_SLOTS", "1.5", "integer"),
        ("RETENTION_DAYS", "0", "greater than or equal to 1"),
    ],
)
def test_a_wrong_value_names_its_variable(name: str, value: str, says: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        Settings.from_env({f"UNDO_DESK_{name}": value})
    assert str(refusal.value).startswith(f"UNDO_DESK_{name}: ")
    assert says in str(refusal.value)


def test_a_lease_not_longer_than_the_deadline_is_refused() -> None:
    """hexpm/hexpm#1825: the lease was shorter than the job."""
    with pytest.raises(ConfigError, match=r"^UNDO_DESK_LEASE_SECONDS: .*DEADLINE"):
        Settings.from_env({"UNDO_DESK_LEASE_SECONDS": "20"})
    longer = {"UNDO_DESK_LEASE_SECONDS": "2.5", "UNDO_DESK_CONNECTOR_DEADLINE_SECONDS": "2"}
    assert Settings.from_env(longer).lease_seconds == 2.5


@pytest.mark.parametrize("missing", ["SMTP_URL", "MAIL_FROM"])
def test_smtp_needs_a_server_and_a_sender(missing: str) -> None:
    environ = {
        "UNDO_DESK_REPLY_CONNECTOR": "smtp",
        "UNDO_DESK_SMTP_URL": "smtp://127.0.0.1:2525",
        "UNDO_DESK_MAIL_FROM": "desk@example.com",
    }
    assert Settings.from_env(environ).reply_connector == "smtp"
    del environ[f"UNDO_DESK_{missing}"]
    with pytest.raises(ConfigError, match=f"^UNDO_DESK_{missing}: "):
        Settings.from_env(environ)


def test_every_wrong_variable_is_named_and_no_value_that_may_be_secret() -> None:
    with pytest.raises(ConfigError) as refusal:
        Settings.from_env(
            {"UNDO_DESK_SMTP_URL": "smpt://user:hunter2@h", "UNDO_DESK_WORKER_SLOTS": "many"}
        )
    assert "UNDO_DESK_SMTP_URL" in str(refusal.value)
    assert "UNDO_DESK_WORKER_SLOTS" in str(refusal.value)
    assert "hunter2" not in str(refusal.value)


def test_secrets_stay_out_of_the_repr() -> None:
    environ = {
        "UNDO_DESK_SECRET_KEY": "s3cret-a-s3cret-a",
        "UNDO_DESK_SECRET_KEY_FALLBACKS": "s3cret-b",
        "UNDO_DESK_WEBHOOK_SECRET": "whsec_czNjcmV0LWMtczNjcmV0LWM=",
        "UNDO_DESK_SMTP_URL": "smtp://u:s3cret-d@h",
        "UNDO_DESK_DATABASE_URL": "postgresql://u:s3cret-e@h/d",
    }
    assert "s3cret" not in repr(Settings.from_env(environ))


def test_serving_on_loopback_makes_one_key_for_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = Settings.from_env({}).serving("127.0.0.1", 8123)
    file = tmp_path / "instance" / "secret.key"
    assert first.base_url == "http://127.0.0.1:8123"
    assert len(first.secret_key) >= 32
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    # the next start finds the same key, or every session and link would end
    assert Settings.from_env({}).serving("localhost", 8123).secret_key == first.secret_key
    assert [entry.name for entry in file.parent.iterdir()] == ["secret.key"]


def test_serving_elsewhere_requires_a_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"^UNDO_DESK_SECRET_KEY: .*0\.0\.0\.0"):
        Settings.from_env({}).serving("0.0.0.0", 8000)
    assert not (tmp_path / "instance").exists()
    given = {"UNDO_DESK_SECRET_KEY": "k" * 32, "UNDO_DESK_BASE_URL": "https://desk.example.com/"}
    settings = Settings.from_env(given).serving("0.0.0.0", 8000)
    assert (settings.secret_key, settings.base_url) == ("k" * 32, "https://desk.example.com")


def test_processes_that_start_together_agree_on_the_key(tmp_path: Path) -> None:
    keys: list[str] = []
    start = threading.Barrier(8)

    def read() -> None:
        start.wait()
        keys.append(secret_key.read_or_make(tmp_path / "instance"))

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 8
    assert len(set(keys)) == 1


def test_a_misspelled_variable_is_found() -> None:
    environ = {"UNDO_DESK_LEASE_SECOND": "5", "UNDO_DESK_LEASE_SECONDS": "90", "PATH": "/bin"}
    assert unknown_variables(environ) == ["UNDO_DESK_LEASE_SECOND"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SECRET_KEY", "short"),
        ("WEBHOOK_ALLOW", "a b"),
        ("WEBHOOK_ALLOW", "http://peer.example/"),
        ("WEBHOOK_ALLOW", "peer.example:http"),
        ("WEBHOOK_SECRET", "abc"),
        ("WEBHOOK_SECRET", "whsec_c2hvcnQ="),
    ],
)
def test_what_could_not_work_is_refused_at_the_start(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=f"^UNDO_DESK_{name}: "):
        Settings.from_env({f"UNDO_DESK_{name}": value})
