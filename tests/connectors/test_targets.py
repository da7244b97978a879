"""Which addresses and headers a webhook may use."""

import ipaddress

import pytest

from webapp.connectors.targets import (
    check_headers,
    check_target,
    is_public,
    parse_target,
    refuse_addresses,
)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com",
        "https://example.com/hook?x=1&y=%20",
        "https://EXAMPLE.com:8443/",
        "https://93.184.215.14/",
        "https://[2606:4700:4700::1111]/",
        "https://bücher.example/",
        "https://example.com./",
    ],
)
def test_public_https_is_fine(url: str) -> None:
    assert check_target(url, []) is None


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001"),
        *("0", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
        *("224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.0.1", "198.18.0.1", "192.88.99.1"),
        "127.0.0.1.",
        *("[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[fe80::1]", "[fc00::1]", "[fd12::1]", "[ff02::1]"),
        *("[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:0a00:1]", "[::127.0.0.1]"),
        *("[64:ff9b::127.0.0.1]", "[64:ff9b::a00:1]", "[64:ff9b:1::1]", "[2002:7f00:1::]"),
        *("[2001:0:7f00:1::]", "[2001:db8::1]", "[3fff::1]", "[5f00::1]", "[fec0::1]"),
        *("localhost", "LOCALHOST", "localhost.", "a.localhost"),
    ],
)
def test_not_public_is_refused_in_every_spelling(host: str) -> None:
    wrong = check_target(f"https://{host}/", [])
    assert wrong is not None
    assert wrong.endswith(("is not a public address", "is this machine itself"))


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://example.com/", "plain http is refused: use https, or allow example.com:80"),
        ("ftp://example.com/", "an absolute http or https URL is needed"),
        ("file:///etc/passwd", "an absolute http or https URL is needed"),
        ("gopher://127.0.0.1:70/", "an absolute http or https URL is needed"),
        ("//example.com/", "an absolute http or https URL is needed"),
        ("example.com", "an absolute http or https URL is needed"),
        ("", "an absolute http or https URL is needed"),
        ("https:///path", "an absolute http or https URL is needed"),
        ("https://user@example.com/", "a URL with a user name or password is refused"),
        ("https://example.com@127.0.0.1/", "a URL with a user name or password is refused"),
        ("https://exa mple.com/", "the URL has spaces, control characters or backslashes"),
        ("https://example.com\\@127.0.0.1/", "the URL has spaces, control characters or backs"),
        ("https://example.com/\r\nX: y", "the URL has spaces, control characters or backslashes"),
        ("https://example.com:0/", "the URL's port is not between 1 and 65535"),
        ("https://example.com:99999/", "the URL"),
        ("https://256.256.256.256/", "the URL's host is not a valid address"),
        ("https://1.2.3.4.5/", "the URL's host is not a valid address"),
        ("https://0xzz.0x1/", "the URL's host is not a valid address"),
        ("https://[fe80::1%25eth0]/", "fe80::1%eth0 is not a public address"),
        ("https://[::1/", "the URL cannot be understood"),
        ("https://①②⑦.⓪.⓪.①/", "the URL cannot be understood"),
        ("https://１２７.0.0.1/", "the URL cannot be understood"),
        ("https://./", "the URL has no host"),
    ],
)
def test_malformed_is_refused_in_words(url: str, says: str) -> None:
    assert (check_target(url, []) or "").startswith(says)


@pytest.mark.parametrize(
    ("url", "allow"),
    [
        ("http://127.0.0.1:8080/x", ["127.0.0.1:8080"]),
        ("http://127.0.0.1:8080/x", ["127.0.0.1"]),
        ("http://2130706433:8080/x", ["127.0.0.1:8080"]),
        ("http://Hooks.Internal/x", ["hooks.INTERNAL:80"]),
        ("http://[::1]:8080/", ["[::1]:8080"]),
        ("http://[::1]:8080/", ["::1"]),
        ("https://localhost/", ["other", "localhost"]),
    ],
)
def test_what_is_allowed_by_name_may_be_called(url: str, allow: list[str]) -> None:
    assert check_target(url, allow) is None


def test_an_allowed_port_allows_no_other() -> None:
    assert check_target("http://127.0.0.1:8081/", ["127.0.0.1:8080"]) is not None
    assert check_target("http://127.0.0.2:8080/", ["127.0.0.1:8080"]) is not None


def test_one_address_that_is_not_public_spoils_a_name() -> None:
    target = parse_target("https://rebound.example/")
    public = ["93.184.215.14", "2606:4700:4700::1111", "64:ff9b::5db8:d70e"]
    assert refuse_addresses(target, public, []) is None
    assert "leads to 127.0.0.1" in (refuse_addresses(target, [*public, "127.0.0.1"], []) or "")
    assert refuse_addresses(target, ["127.0.0.1"], ["rebound.example"]) is None


def test_scoped_addresses_are_not_public() -> None:
    assert not is_public(ipaddress.ip_address("fe80::1%eth0"))


@pytest.mark.parametrize(
    "name",
    [
        *("Host", "content-length", "Transfer-Encoding", "Connection", "Idempotency-Key"),
        *("webhook-id", "Webhook-Signature", "WEBHOOK-TIMESTAMP", "webhook-other", "Expect"),
        *("Proxy-Authorization", "Accept-Encoding", "TE", "Trailer", "Upgrade", "Keep-Alive"),
    ],
)
def test_what_the_desk_sets_cannot_be_set(name: str) -> None:
    assert check_headers({name: "x"}) == f"the header {name} is set by the desk"


@pytest.mark.parametrize(
    ("headers", "says"),
    [
        ({"X y": "1"}, "'X y' is not a header name"),
        ({"X:": "1"}, "'X:' is not a header name"),
        ({"X\r\nHost": "1"}, r"'X\r\nHost' is not a header name"),
        ({"": "1"}, "'' is not a header name"),
        ({"X": "a\r\nHost: evil"}, "the header X has characters that do not belong there"),
        ({"X": "a\nb"}, "the header X has characters that do not belong there"),
        ({"X": "a\n"}, "the header X has characters that do not belong there"),
        ({"X": "a\0"}, "the header X has characters that do not belong there"),
        ({"X": "é"}, "the header X has characters that do not belong there"),
        ({"X": " a"}, "the header X has characters that do not belong there"),
        ({"X-A": "1", "x-a": "2"}, "the header x-a is there twice"),
    ],
)
def test_header_injection_is_refused(headers: dict[str, str], says: str) -> None:
    assert check_headers(headers) == says


def test_ordinary_headers_are_fine() -> None:
    headers = {"Authorization": "Bearer a.b-c=", "X-Empty": "", "Content-Type": "text/plain; a=b"}
    assert check_headers(headers) is None
