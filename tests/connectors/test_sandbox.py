"""The sandbox: one effect a key, ways back that are visible both ways, faults on purpose."""

import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from webapp.connectors.base import EffectFailed, EffectRequest
from webapp.connectors.sandbox.connector import RULES, SandboxConnector, provider_id
from webapp.connectors.sandbox.faults import Fault, Faults
from webapp.connectors.sandbox.ledger import Ledger

REFUND = {"payment": "pi_1", "amount": {"value": 1250, "currency": "EUR"}, "reason": "späť"}


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "new" / "sandbox.db")


@pytest.fixture
def sandbox(ledger: Ledger) -> SandboxConnector:
    return SandboxConnector(ledger)


def request(
    kind: str, payload: dict[str, Any], *, key: str = "act_1", attempt: int = 1, seconds: float = 10
) -> EffectRequest:
    return EffectRequest(key, kind, payload, "0195", attempt, time.monotonic() + seconds)


def failure(sandbox: SandboxConnector, effect: EffectRequest) -> EffectFailed:
    with pytest.raises(EffectFailed) as failed:
        sandbox.send(effect)
    return failed.value


def test_an_effect_is_remembered(sandbox: SandboxConnector) -> None:
    before = time.time_ns() // 1000
    effect = sandbox.send(request("refund", REFUND))
    assert effect.status == "settled"
    assert effect.provider_id == provider_id("refund", "act_1")
    assert effect.provider_id.startswith("re_")
    (entry,) = sandbox.ledger.entries()
    assert (entry.key, entry.kind, entry.payload, entry.action_id) == (
        *("act_1", "refund", REFUND),
        "0195",
    )
    assert before <= entry.at <= time.time_ns() // 1000
    assert entry.status(entry.at) == "settled"


def test_the_same_key_is_one_effect_answered_as_the_first_time(sandbox: SandboxConnector) -> None:
    first = sandbox.send(request("refund", REFUND))
    again = sandbox.send(request("refund", dict(reversed(REFUND.items())), attempt=2))
    assert again == first
    assert len(sandbox.ledger.entries()) == 1


@pytest.mark.parametrize(
    ("kind", "payload"),
    [("refund", REFUND | {"payment": "pi_2"}), ("exchange", REFUND)],
)
def test_the_same_key_for_something_else_is_refused(
    sandbox: SandboxConnector, kind: str, payload: dict[str, Any]
) -> None:
    sandbox.send(request("refund", REFUND))
    failed = failure(sandbox, request(kind, payload))
    assert (failed.permanent, failed.may_have_happened) == (True, False)
    assert str(failed) == "the key act_1 was used with other parameters"
    assert len(sandbox.ledger.entries()) == 1


def test_looking_up(sandbox: SandboxConnector) -> None:
    wanted = request("refund", REFUND)
    assert sandbox.look_up(wanted) is None
    effect = sandbox.send(wanted)
    assert sandbox.look_up(wanted) == effect


@pytest.mark.parametrize(
    ("kind", "back", "field"),
    [
        ("refund", "refund.reversal", "refund"),
        ("label", "label.void", "label"),
        ("exchange", "exchange.restock", "exchange"),
    ],
)
def test_a_way_back_is_visible_both_ways_and_goes_once(
    sandbox: SandboxConnector, kind: str, back: str, field: str
) -> None:
    done = sandbox.send(request(kind, {"order": "o-1"}))
    undo = {field: done.provider_id}
    sandbox.send(request(back, undo, key="act_2"))
    newest, original = sandbox.ledger.entries()
    assert (newest.reverses, original.reversed_by) == (done.provider_id, "act_2")
    assert original.status(original.at) == "reversed"
    # The same request again is the same effect; another one is too late.
    assert sandbox.send(request(back, undo, key="act_2", attempt=2)).status == "settled"
    failed = failure(sandbox, request(back, undo, key="act_3"))
    assert (failed.permanent, failed.may_have_happened) == (True, False)
    assert str(failed) == f"{kind} {done.provider_id} was already taken back, by act_2"


@pytest.mark.parametrize(
    ("back", "payload"),
    [
        ("refund.reversal", {"refund": "re_unknown"}),
        ("label.void", {"label": "re_a"}),
        ("exchange.restock", {"exchange": ""}),
    ],
)
def test_what_is_not_known_cannot_be_taken_back(
    sandbox: SandboxConnector, back: str, payload: dict[str, Any]
) -> None:
    sandbox.send(request("refund", REFUND))
    wrong = failure(sandbox, request(back, payload, key="act_2"))
    assert (wrong.permanent, wrong.may_have_happened) == (True, False)
    assert "the sandbox knows no" in str(wrong)


def test_an_effect_of_another_kind_is_not_taken_back(sandbox: SandboxConnector) -> None:
    refund = sandbox.send(request("refund", REFUND))
    wrong = failure(sandbox, request("label.void", {"label": refund.provider_id}, key="act_2"))
    assert "the sandbox knows no label" in str(wrong)


def test_corrections_go_out_as_often_as_wanted(sandbox: SandboxConnector) -> None:
    mail = {"to": "a@b.org", "subject": "s", "body": "b"}
    sent = sandbox.send(request("reply", mail))
    for number in (2, 3):
        thread = mail | {"in_reply_to": sent.provider_id}
        sandbox.send(request("reply.correction", thread, key=f"act_{number}"))
    stranger = mail | {"in_reply_to": "<elsewhere@example.org>"}
    sandbox.send(request("reply.correction", stranger, key="act_4"))
    entries = {entry.key: entry for entry in sandbox.ledger.entries()}
    assert entries["act_1"].reversed_by == "act_2"
    # A mail that was corrected was sent all the same.
    assert entries["act_1"].status(entries["act_1"].at) == "settled"
    assert entries["act_4"].reverses is None


def test_submitted_first_and_settled_later(ledger: Ledger) -> None:
    slow = SandboxConnector(ledger, settle_seconds=3600)
    assert slow.send(request("refund", REFUND)).status == "submitted"
    (entry,) = ledger.entries()
    assert entry.status(entry.at + 3_599_000_000) == "submitted"
    assert entry.status(entry.at + 3_600_000_000) == "settled"


@pytest.mark.parametrize(
    ("fault", "permanent", "may_have_happened", "happened"),
    [
        (Fault.DECLINE, True, False, False),
        (Fault.BUSY, False, False, False),
        (Fault.DROP_REPLY, False, True, True),
        (Fault.HANG, False, True, False),
    ],
)
def test_faults_tell_the_truth(
    ledger: Ledger, fault: Fault, permanent: bool, may_have_happened: bool, happened: bool
) -> None:
    sandbox = SandboxConnector(ledger, faults=Faults.parse(f"refund={fault}"))
    began = time.monotonic()
    failed = failure(sandbox, request("refund", REFUND, seconds=0.3))
    took = time.monotonic() - began
    assert (failed.permanent, failed.may_have_happened) == (permanent, may_have_happened)
    assert (sandbox.look_up(request("refund", REFUND)) is not None) == happened
    assert took > 0.25 or fault is not Fault.HANG


def test_planned_faults_are_used_up_in_order(ledger: Ledger) -> None:
    ledger.plan_fault("refund", Fault.BUSY, times=2)
    ledger.plan_fault("refund", Fault.DECLINE)
    # Another process would be another ledger on the same file.
    elsewhere = SandboxConnector(Ledger(ledger.path))
    elsewhere.send(request("label", {"order": "o-1"}, key="act_0"))
    says = [str(failure(elsewhere, request("refund", REFUND))) for _ in range(3)]
    assert says == ["the sandbox is busy, try again"] * 2 + ["the sandbox declined"]
    assert elsewhere.send(request("refund", REFUND)).status == "settled"


def test_latency_ends_at_the_deadline(ledger: Ledger) -> None:
    slow = SandboxConnector(ledger, latency_seconds=3.0)
    began = time.monotonic()
    # Not even the first half passed: it was not called.
    assert not failure(slow, request("refund", REFUND, seconds=0.1)).may_have_happened
    # It was called, and no answer came in time.
    assert failure(slow, request("refund", REFUND, seconds=2.2)).may_have_happened
    assert time.monotonic() - began < 2 * 3.0
    assert slow.look_up(request("refund", REFUND)) is not None


def test_chances_are_the_same_for_the_same_attempt_everywhere() -> None:
    faults = Faults.parse(" refund=decline:0.25 , *=drop_reply:0.1,label=busy:0 ")
    drawn = Counter(faults.draw("refund", f"act_{number}", 1) for number in range(4000))
    assert 800 < drawn[Fault.DECLINE] < 1200
    assert 200 < drawn[Fault.DROP_REPLY] < 400
    assert faults.draw("label", "act_1", 1) in (None, Fault.DROP_REPLY)
    assert [faults.draw("refund", "k", n) for n in range(99)] == [
        faults.draw("refund", "k", n) for n in range(99)
    ]
    assert Faults.parse("") == Faults()


@pytest.mark.parametrize(
    "text",
    ["refund", "refund=", "=busy", "refund=maybe", "refund=busy:", "refund=busy:2", "a=hang:x"],
)
def test_faults_that_make_no_sense(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Faults.parse(text)


def test_many_threads_one_effect_a_key(sandbox: SandboxConnector) -> None:
    together = threading.Barrier(8)
    found: list[str] = []

    def work() -> None:
        together.wait()
        for number in range(50):
            effect = sandbox.send(request("refund", REFUND, key=f"act_{number}"))
            found.append(effect.provider_id)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 400
    assert len(set(found)) == len(sandbox.ledger.entries()) == 50


def test_one_of_many_takes_it_back(sandbox: SandboxConnector) -> None:
    label = sandbox.send(request("label", {"order": "o-1"})).provider_id
    together = threading.Barrier(8)
    won: list[int] = []

    def work(number: int) -> None:
        together.wait()
        try:
            sandbox.send(request("label.void", {"label": label}, key=f"void_{number}"))
        except EffectFailed:
            return
        won.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1


def test_a_busy_ledger_had_no_effect(ledger: Ledger, sandbox: SandboxConnector) -> None:
    # Once while the file is opened, once with it open.
    for key in ("act_1", "act_2"):
        began = time.monotonic()
        with Ledger(ledger.path).writing():
            failed = failure(sandbox, request("refund", REFUND, key=key, seconds=0.2))
        assert (failed.permanent, failed.may_have_happened) == (False, False)
        assert time.monotonic() - began < 4.0  # the file's own patience is longer
        sandbox.send(request("refund", REFUND, key=key))


def test_check_names_what_is_wrong(tmp_path: Path, sandbox: SandboxConnector) -> None:
    assert sandbox.check() is None
    folder = SandboxConnector(Ledger(tmp_path))
    assert "the sandbox's ledger cannot be written" in (folder.check() or "")


def test_every_kind_has_ids_of_its_own() -> None:
    assert len({rule.prefix for rule in RULES.values()}) == len(RULES)
