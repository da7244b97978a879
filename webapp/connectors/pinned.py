"""HTTP connections that are opened only to an address that was checked.

Directly on urllib3, the engine under requests: twice the calls a second, and none of what requests
adds for browsing (redirects, cookies, proxies and passwords from the environment, a second URL
parser). requests-hardened (1.3) does not fit: it allows all of loopback or none where the contract
allows single hosts, and looks names up outside any deadline.

The check happens where the socket is opened, on the addresses it is opened to, so a name that
changes its address in between (DNS rebinding) gains nothing, and TLS still verifies the name.
"""

import time
from collections.abc import Collection, Sequence
from typing import Any

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection

from webapp.connectors.deadline import Address, open_socket, tls_context
from webapp.connectors.targets import Target, refuse_addresses
from webapp.failpoints import SENT, reach

IDLE_SECONDS = 1.0
"""A kept connection idle for longer is not used again: common servers close theirs after 2 s or
more, and a call into a closing one would be an outcome that nobody knows."""

HOSTS = 200
CONNECTIONS_PER_HOST = 64


class AddressRefused(Exception):
    """The name leads to an address that may not be called."""


class _Checked(HTTPConnection):
    allow: Collection[str] = ()
    _used_at = 0.0

    def _new_conn(self) -> Any:
        host = self.host.strip("[]")

        def refuse(addresses: Sequence[Address]) -> None:
            found = [where[0] for _, where in addresses]
            wrong = refuse_addresses(Target("", host, self.port), found, self.allow)
            if wrong:
                raise AddressRefused(wrong)

        return open_socket(host, self.port, refuse)

    def getresponse(self) -> Any:
        reach("webhook", SENT)
        self._used_at = time.monotonic()
        return super().getresponse()

    @property
    def is_connected(self) -> bool:
        return time.monotonic() - self._used_at < IDLE_SECONDS and super().is_connected


def pinned_pools(allow: Collection[str]) -> PoolManager:
    """Pools for many threads; used inside `deadline.until`, they raise AddressRefused."""

    class Plain(_Checked):
        pass

    class Secure(_Checked, HTTPSConnection):
        pass

    Plain.allow = Secure.allow = allow

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = Plain

    class SecurePool(HTTPSConnectionPool):
        ConnectionCls = Secure

    pools = PoolManager(
        num_pools=HOSTS, maxsize=CONNECTIONS_PER_HOST, retries=False, ssl_context=tls_context()
    )
    pools.pool_classes_by_scheme = {"http": PlainPool, "https": SecurePool}
    return pools
