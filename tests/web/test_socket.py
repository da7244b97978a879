"""The feed's socket, end to end: a real gunicorn, real connections, nothing missed or doubled."""

import json
from collections.abc import Iterator

import pytest

from tests.web.socket_client import CLOSE, PING, PONG, Client, Desk, masked, running, until


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    with running() as started:
        yield started


def test_hello_comes_first_and_then_what_happens(desk: Desk) -> None:
    with desk.screen() as screen:
        head = int(desk.post("/push?n=3"))
        assert screen.hello["now"] == "2026-11-30T09:41:25.114Z"
        assert int(screen.hello["cursor"]) == head - 3
        assert screen.rows(3) == [head - 2, head - 1, head]


def test_every_role_gets_its_own_frame(desk: Desk) -> None:
    with desk.screen("Asha:staff:s1") as staff, desk.screen("Ben:admin:s2") as admin:
        desk.post("/push")
        assert staff.message()["for"] == "staff"
        assert admin.message()["for"] == "admin"


def test_two_hundred_cuts_miss_and_double_nothing(desk: Desk) -> None:
    """The line drops at every point of a busy feed; the last cursor is all a screen keeps."""
    start = last = int(desk.post("/push?n=0"))
    seen: list[int] = []
    for round_ in range(200):
        with desk.screen(after=last) as screen:
            assert int(screen.hello["cursor"]) == last
            desk.post(f"/push?n={round_ % 4}")
            if round_ % 7 == 0:
                # long enough away to be out of what the broadcaster remembers
                desk.post("/push?n=130")
            seen += screen.rows(min(3, int(desk.post("/push?n=1")) - last))
            last = seen[-1]
    head = int(desk.post("/push?n=0"))
    with desk.screen(after=last) as screen:
        seen += screen.rows(head - last)
    assert seen == list(range(start + 1, head + 1))


def test_a_screen_far_behind_catches_up_while_the_feed_goes_on(desk: Desk) -> None:
    behind = int(desk.post("/push?n=0"))
    head = int(desk.post("/push?n=3000"))
    with desk.screen() as live, desk.screen(after=behind) as late:
        head = int(desk.post("/push?n=5"))
        assert live.rows(5) == list(range(head - 4, head + 1)), "the live one does not wait"
        assert late.rows(head - behind) == list(range(behind + 1, head + 1))


@pytest.mark.parametrize("cursor", ["rubbish", "99999999", "%00", "1" * 300])
def test_a_cursor_that_means_nothing_resets_the_screen(desk: Desk, cursor: str) -> None:
    head = int(desk.post("/push?n=0"))
    with desk.screen(after=cursor) as screen:
        assert int(screen.hello["cursor"]) == head, "what follows comes after this"
        assert screen.message() == {"type": "reset"}
        desk.post("/push")
        assert screen.rows(1) == [head + 1]


def test_a_frame_outside_of_the_feed_goes_to_who_is_there(desk: Desk) -> None:
    with desk.screen("Asha:staff:s1") as staff, desk.screen("Ben:admin:s2") as admin:
        desk.post("/publish", json={"admin": '{"type":"reset"}'})
        desk.post("/push")
        assert admin.message()["type"] == "reset"
        assert admin.message()["type"] == "row"
        assert staff.message()["type"] == "row"


def test_who_watches_is_told_on_joining_and_leaving(desk: Desk) -> None:
    def people(client: Client) -> list[str]:
        while True:
            _, payload = client.frame()
            message = json.loads(payload)
            if message["type"] == "presence":
                names: list[str] = message["people"]
                return names

    with desk.screen("Asha:staff:s1") as asha:
        assert people(asha) == ["Asha"]
        with desk.screen("Ben:admin:s2") as ben, desk.screen("Ben:admin:s2"):
            assert people(asha) == ["Asha", "Ben"]
            assert people(ben) == ["Asha", "Ben"]
        assert people(asha) == ["Asha"]


def test_a_session_that_ends_loses_its_screens(desk: Desk) -> None:
    with (
        desk.screen("Asha:staff:gone") as first,
        desk.screen("Asha:staff:gone") as second,
        desk.screen("Ben:staff:stays") as other,
    ):
        desk.post("/logout/gone")
        assert first.closed_with() == 4401
        assert second.closed_with() == 4401
        desk.post("/push")
        assert other.rows(1)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": None}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://elsewhere.example"}, 403),
        ({"Origin": "http://127.0.0.1"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "http://[::1"}, 403),
        ({"Cookie": None}, 401),
        ({"Sec-WebSocket-Key": None}, 400),
        ({"Sec-WebSocket-Key": "short"}, 400),
        ({"Content-Length": "5"}, 400),
        ({"Host": None}, 400),
        ({"Sec-WebSocket-Version": "8"}, 426),
        ({"Sec-WebSocket-Version": None}, 426),
        ({"Upgrade": None}, 426),
        ({"Connection": "keep-alive"}, 426),
    ],
)
def test_refused_before_the_handshake(
    desk: Desk, headers: dict[str, str | None], status: int
) -> None:
    screens = desk.stats()["screens"]
    with Client(desk.port, headers=headers) as client:
        assert client.status == status
    assert desk.stats()["screens"] == screens


def test_https_by_a_proxy_on_this_host_is_another_origin(desk: Desk) -> None:
    secure = desk.origin.replace("http:", "https:")
    with Client(desk.port, headers={"Origin": secure}) as client:
        assert client.status == 403
    behind: dict[str, str | None] = {"Origin": secure, "X-Forwarded-Proto": "https"}
    with Client(desk.port, headers=behind) as client:
        assert client.status == 101


def test_compression_is_not_agreed_on(desk: Desk) -> None:
    with desk.screen() as screen:
        assert b"permessage-deflate" not in screen.answer


def test_ping_is_answered_with_its_payload(desk: Desk) -> None:
    with desk.screen() as screen:
        screen.send(PING, b"are you there")
        while (got := screen.frame())[0] != PONG:
            pass
        assert got == (PONG, b"are you there")


def test_the_closing_handshake_repeats_the_code(desk: Desk) -> None:
    with desk.screen() as screen:
        screen.send(CLOSE, (1001).to_bytes(2) + b"leaving")
        assert screen.closed_with() == 1001
    until(lambda: desk.stats()["screens"] == 0)


def test_frames_in_halves_and_data_frames_do_no_harm(desk: Desk) -> None:
    with desk.screen() as screen:
        said = masked(0x1, b"x" * 300) + masked(PING, b"p") + masked(0x2, b"y", first=0)
        for byte in said + masked(0x0, b"z"):
            screen.sock.send(bytes((byte,)))
        while (got := screen.frame())[0] != PONG:
            pass
        assert got == (PONG, b"p")
        head = int(desk.post("/push"))
        assert screen.rows(1) == [head]


@pytest.mark.parametrize(
    "garbage",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x89\x00",  # not masked
        b"\xc9\x80\0\0\0\0",  # a reserved bit
        b"\x09\x80\0\0\0\0",  # a ping in pieces
        b"\x8b\x80\0\0\0\0",  # an opcode that is none
        b"\x89\xfe\0\x80\0\0\0\0",  # a ping that is too long
    ],
)
def test_what_is_not_websocket_is_closed(desk: Desk, garbage: bytes) -> None:
    with desk.screen() as screen:
        screen.sock.sendall(garbage)
        assert screen.closed_with() == 1002


def test_who_floods_is_cut(desk: Desk) -> None:
    def flood(screen: Client) -> None:
        for _ in range(100_000):
            screen.sock.sendall(masked(0x1, b"x" * 60_000))

    with desk.screen() as screen, desk.screen() as other:
        with pytest.raises(OSError, match=r"reset|Broken pipe"):
            flood(screen)
        head = int(desk.post("/push"))
        assert other.rows(1) == [head]


def test_nothing_is_left_of_the_screens_that_went(desk: Desk) -> None:
    until(lambda: desk.stats()["screens"] == 0)
    before = desk.stats()
    for _ in range(50):
        desk.screen().sock.close()
    until(lambda: desk.stats()["screens"] == 0)
    assert desk.stats()["files"] <= before["files"] + 2
