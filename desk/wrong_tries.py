"""Wrong tokens, counted by where they come from; a right token is never counted and never waits."""

from __future__ import annotations

import ipaddress
from collections import OrderedDict, deque
from collections.abc import Container

from starlette.requests import Request

TRIES_A_MINUTE = 10
MOST_ADDRESSES = 1_000
NEIGHBOURS = 64
"""Bits of an IPv6 address that one customer commonly has for itself."""


class WrongTries:
    """The last wrong tokens of the addresses that sent some; the address that was quiet longest is forgotten first."""

    def __init__(self) -> None:
        self._times: OrderedDict[str, deque[float]] = OrderedDict()

    def are_too_many(self, address: str, now: float) -> bool:
        """Count a wrong token; whether the address had sent ten within the minute before."""
        times = self._times.setdefault(address, deque(maxlen=TRIES_A_MINUTE))
        self._times.move_to_end(address)
        too_many = len(times) == TRIES_A_MINUTE and times[0] > now - 60
        times.append(now)
        if len(self._times) > MOST_ADDRESSES:
            self._times.popitem(last=False)
        return too_many

    def __len__(self) -> int:
        return len(self._times)


def address_of(request: Request, trusted_proxies: Container[str]) -> str:
    """Where a request comes from: the peer, or what trusted proxies say in ``X-Forwarded-For``, read from its end.

    The front of that header is the visitor's own to write. An IPv6 address stands for its network of 64 bits.
    """
    address = request.client.host if request.client else ""
    said = ",".join(request.headers.getlist("x-forwarded-for")).split(",")
    while address in trusted_proxies and said:
        before = _plain(said.pop())
        if before is None:
            break
        address = before
    return _network(address)


def _plain(said: str) -> str | None:
    """An address without brackets and port; ``None`` where it is none."""
    text = said.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return None


def _network(address: str) -> str:
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if found.version == 4:
        return str(found)
    return str(found.ipv4_mapped or ipaddress.ip_network((found, NEIGHBOURS), strict=False))
