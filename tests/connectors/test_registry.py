"""Every kind has its connector."""

from pathlib import Path

import pytest

from tests.connectors.servers import refused_port
from webapp.config import ConfigError, Settings
from webapp.connectors.registry import check, connectors, ledger
from webapp.domain.kinds.registry import KINDS


def settings(tmp_path: Path, **given: object) -> Settings:
    return Settings.model_validate({"sandbox_path": str(tmp_path / "sandbox.db")} | given)


def test_every_kind_has_one_and_its_way_back_the_same(tmp_path: Path) -> None:
    found = connectors(settings(tmp_path))
    assert set(found) == set(KINDS)
    for kind in KINDS.values():
        if kind.way_back is not None:
            assert found[kind.name] is found[kind.way_back.kind]
    assert {connector.name for connector in found.values()} == {"sandbox", "webhook"}
    # Nothing is touched before the first effect.
    assert not list(tmp_path.iterdir())


def test_replies_by_mail(tmp_path: Path) -> None:
    url = f"smtp://127.0.0.1:{refused_port()}"
    mail = settings(tmp_path, reply_connector="smtp", smtp_url=url, mail_from="desk@example.com")
    found = connectors(mail)
    assert found["reply"].name == found["reply.correction"].name == "smtp"
    assert found["refund"].name == "sandbox"
    (wrong,) = check(mail)
    assert wrong.startswith("mail server 127.0.0.1:")


def test_the_doctor_is_content(tmp_path: Path) -> None:
    assert check(settings(tmp_path)) == []
    assert ledger(settings(tmp_path)).entries() == []


@pytest.mark.parametrize(
    ("given", "variable"),
    [
        ({"sandbox_faults": "refund=maybe"}, "UNDO_DESK_SANDBOX_FAULTS"),
        (
            {"reply_connector": "smtp", "smtp_url": "smtp://h", "mail_from": "a@b, c@d"},
            "UNDO_DESK_MAIL_FROM",
        ),
    ],
)
def test_settings_that_make_no_sense(
    tmp_path: Path, given: dict[str, object], variable: str
) -> None:
    wrong = settings(tmp_path, **given)
    with pytest.raises(ConfigError, match=f"^{variable}: "):
        connectors(wrong)
    assert check(wrong)[0].startswith(variable)
