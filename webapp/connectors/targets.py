"""Which URLs and headers a webhook may use: pure checks, the same when drafted and when called.

What stands in a payload was written by a program that read a stranger's mail, so a call may not
reach into the desk's own network (OWASP, "Server-Side Request Forgery Prevention"). Refused unless
allowed by name: plain http, and every address that is not globally routable.
"""

import ipaddress
import re
import socket
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from urllib3.exceptions import LocationParseError
from urllib3.util import parse_url

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_NOT_IN_A_URL = re.compile(r"[\x00-\x20\x7f-\x9f\\\u2028\u2029]")
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_HEADER_VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?|")
_RESERVED = re.compile(
    r"host|content-length|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*"
    r"|accept-encoding|idempotency-key|webhook-.*"
)
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
# Not public, though `is_global` of Python 3.11 says so for some (IANA special-purpose registries).
_NOT_PUBLIC = tuple(
    ipaddress.ip_network(text)
    for text in (
        *("192.0.0.0/24", "192.88.99.0/24", "::/96", "64:ff9b:1::/48", "2001::/23", "2002::/16"),
        *("3fff::/20", "5f00::/16", "fec0::/10"),
    )
)


@dataclass(frozen=True, slots=True)
class Target:
    """Where a URL leads."""

    scheme: str
    host: str
    """In lower case, ASCII, without brackets; a literal address in its usual spelling."""
    port: int

    def allowed(self, allow: Collection[str]) -> bool:
        """Whether the list of `host` and `host:port` names it."""
        bare = f"[{self.host}]" if ":" in self.host else self.host
        named = (self.host, bare, f"{bare}:{self.port}")
        return any(entry.lower() in named for entry in allow)


def check_target(url: str, allow: Collection[str]) -> str | None:
    """What is wrong with calling `url`, as far as its text tells; None when nothing is."""
    try:
        target = parse_target(url)
    except ValueError as error:
        return str(error)
    if target.allowed(allow):
        return None
    if target.scheme != "https":
        return f"plain http is refused: use https, or allow {target.host}:{target.port}"
    address = _literal(target.host)
    if address is not None and not is_public(address):
        return f"{target.host} is not a public address"
    if target.host == "localhost" or target.host.endswith(".localhost"):
        return f"{target.host} is this machine itself"
    return None


def parse_target(url: str) -> Target:
    """The URL's target. Raises ValueError, in words."""
    if _NOT_IN_A_URL.search(url):
        raise ValueError("the URL has spaces, control characters or backslashes")
    # The one parser that the connection uses, too: two that disagree are a way around a check.
    try:
        parts = parse_url(url)
    except LocationParseError:
        raise ValueError("the URL cannot be understood") from None
    if parts.scheme not in ("http", "https") or not parts.host:
        raise ValueError("an absolute http or https URL is needed")
    if parts.auth is not None:
        raise ValueError("a URL with a user name or password is refused")
    port = parts.port if parts.port is not None else {"http": 80, "https": 443}[parts.scheme]
    if not 0 < port < 65536:
        raise ValueError("the URL's port is not between 1 and 65535")
    return Target(parts.scheme, _host(parts.host), port)


def refuse_addresses(
    target: Target, addresses: Sequence[str], allow: Collection[str]
) -> str | None:
    """What is wrong with the addresses that the target's name led to; None when nothing is."""
    if target.allowed(allow):
        return None
    for text in addresses:
        if not is_public(ipaddress.ip_address(text)):
            return f"{target.host} leads to {text}, which is not a public address"
    return None


def is_public(address: IPAddress) -> bool:
    """Whether anybody on the internet could call it, too."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped
        if inner is None and address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not any(address in network for network in _NOT_PUBLIC)
    )


def check_headers(headers: Mapping[str, str]) -> str | None:
    """What is wrong with a payload's headers, in words; None when nothing is."""
    seen: set[str] = set()
    for name, value in headers.items():
        if not _TOKEN.fullmatch(name):
            return f"{name!r} is not a header name"
        if _RESERVED.fullmatch(name.lower()):
            return f"the header {name} is set by the desk"
        if not _HEADER_VALUE.fullmatch(value):
            return f"the header {name} has characters that do not belong there"
        if name.lower() in seen:
            return f"the header {name} is there twice"
        seen.add(name.lower())
    return None


def _host(text: str) -> str:
    # `parse_url` has put names beyond ASCII into their ASCII form (IDNA).
    host = text.strip("[]").lower().removesuffix(".")
    if not host:
        raise ValueError("the URL has no host")
    address = _literal(host)
    if address is not None:
        return str(address)
    if ":" in host or "%" in host or re.fullmatch(r"\d+|0x[0-9a-f]*", host.rpartition(".")[2]):
        # The URL standard: a host whose last part is a number is an address, or nothing.
        raise ValueError("the URL's host is not a valid address")
    return host


def _literal(host: str) -> IPAddress | None:
    """The address that `host` is, if it is one, in any spelling: 127.1, 0x7f000001, ::1."""
    try:
        if ":" in host:
            return ipaddress.IPv6Address(host)
        # `inet_aton` is what the system's resolver falls back to: decimal, octal, hex, short forms.
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except (OSError, ValueError):
        return None
