"""Screens that are slow, many or silent, and a feed that is away: nobody else notices."""

import time

import pytest

from tests.web.socket_client import Client, Desk, running, until

SCREENS = 500


def test_a_reader_that_stopped_is_cut_and_the_others_are_not_moved() -> None:
    with running() as desk, desk.screen() as other:
        with desk.screen(receive_buffer=4096):
            waits = []
            full = None
            for _ in range(120):
                began = time.monotonic()
                head = int(desk.post("/push?n=1&size=4000"))
                assert other.rows(1) == [head]
                waits.append(time.monotonic() - began)
                full = full or began
            # 480 KB are more than its buffers hold, and less than may wait
            assert desk.stats()["screens"] == 2
            took = until(lambda: desk.stats()["screens"] == 1, 6)
            assert took <= 5
        head = int(desk.post("/push?n=1"))
        assert other.rows(1) == [head]
        assert max(waits) < 1


def test_who_falls_too_far_behind_is_cut_at_once_and_finds_everything_again() -> None:
    with running("stall=60") as desk:
        with desk.screen(receive_buffer=4096) as slow:
            last = int(slow.hello["cursor"])
            head = int(desk.post("/push?n=1&size=20000"))
            while desk.stats()["screens"]:
                head = int(desk.post("/push?n=10"))
        with desk.screen(after=last) as again:
            assert again.rows(head - last) == list(range(last + 1, head + 1))


def test_five_hundred_screens_get_one_event_without_a_thread_each() -> None:
    with running("threads=4") as desk:
        first = desk.screen()
        for _ in range(10):
            desk.stats()
        threads = desk.stats()["threads"]
        screens = [first, *(desk.screen() for _ in range(SCREENS - 1))]
        head = int(desk.post("/push"))
        assert [screen.rows(1) for screen in screens] == [[head]] * SCREENS
        found = desk.stats()
        assert found["screens"] == SCREENS
        # gunicorn's pool may still grow to its four
        assert found["threads"] <= threads + 4
        for screen in screens:
            screen.sock.close()


def test_a_full_house_answers_503_and_has_room_again() -> None:
    with running("capacity=3") as desk:
        screens = [desk.screen() for _ in range(3)]
        with Client(desk.port) as refused:
            assert refused.status == 503
        screens.pop().sock.close()
        until(lambda: desk.stats()["screens"] == 2)
        with desk.screen():
            pass
        for screen in screens:
            screen.sock.close()


def test_a_beat_comes_with_the_time_and_who_never_answers_its_ping_is_cut() -> None:
    with running("beat=0.3", "tick=0.1") as desk, desk.screen() as answers, desk.screen() as mute:
        kinds = [mute.frame() for _ in range(3)]
        assert (0x1, b'{"type":"beat","now":"2026-11-30T09:41:25.114Z"}') in kinds
        assert (0x9, b"") in kinds
        cut = time.monotonic() + 10
        while desk.stats()["screens"] == 2 and time.monotonic() < cut:
            while (frame := answers.frame())[0] != 0x9:
                pass
            answers.send(0xA, frame[1])
        assert desk.stats()["screens"] == 1
        head = int(desk.post("/push"))
        assert answers.rows(1) == [head]


def test_a_session_that_ended_in_another_process_loses_its_screens() -> None:
    with running("sessions=0.2", "tick=0.1") as desk, desk.screen("Asha:staff:over") as screen:
        desk.post("/end-elsewhere/over")
        assert screen.closed_with() == 4401


@pytest.fixture
def patient() -> "Desk":
    return Desk("retry=0.2", "poll=0.2", "tick=0.1")


def test_screens_stay_while_the_feed_is_away(patient: Desk) -> None:
    with patient.screen() as screen:
        last = int(screen.hello["cursor"])
        patient.post("/feed?broken=yes")
        patient.post("/push?n=3")
        with Client(patient.port, after=last) as newcomer:
            assert newcomer.status == 101
            assert patient.stats()["screens"] == 2
            patient.post("/feed?broken=no")
            assert screen.rows(3) == [last + 1, last + 2, last + 3]
            assert newcomer.message()["type"] == "hello"
            assert newcomer.rows(3) == [last + 1, last + 2, last + 3]
    _, errors = patient.end()
    assert errors.count("OSError: the database is away") == 1, "said once, not at every try"


def test_a_change_nobody_announced_is_found(patient: Desk) -> None:
    with patient.screen() as screen:
        head = int(patient.post("/push?quietly"))
        assert screen.rows(1) == [head]
    patient.end()


def test_a_feed_that_forgot_its_past_resets_every_screen(patient: Desk) -> None:
    with patient.screen() as screen:
        head = int(patient.post("/push?n=10&quietly"))
        patient.post(f"/feed?oldest={head}")
        assert screen.message() == {
            "type": "hello",
            "now": "2026-11-30T09:41:25.114Z",
            "cursor": str(head),
        }
        assert screen.message() == {"type": "reset"}
        patient.post("/push")
        assert screen.rows(1) == [head + 1]
    patient.end()


def test_nothing_is_asked_while_nobody_watches(patient: Desk) -> None:
    with patient.screen():
        pass
    until(lambda: patient.stats()["screens"] == 0)
    asked = patient.stats()["asked"]
    patient.post("/push")
    time.sleep(0.5)
    assert patient.stats()["asked"] == asked
    patient.end()
