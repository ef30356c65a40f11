"""One HTTP exchange: sent once, bounded in time and size, told apart from a failure of the line (S-010)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urlencode

import httpx2

from resources.calls.direct_loopback import direct_mounts
from resources.calls.outcomes.answers import Code
from resources.calls.outcomes.status import read_status
from resources.calls.outcomes.verdicts import Verdict
from resources.calls.pauses import read_retry_after
from resources.foundation.errors import one_line
from resources.foundation.secret_masking import HIDDEN, SHORTEST
from resources.links.secrets import body_without_secrets

BODY_BYTES = 16 * 1024 * 1024
KEEPALIVE_S = 30


@dataclass(frozen=True)
class Outgoing:
    """What a request asks for, below a base URL; ``body`` makes it a POST of JSON."""

    path: str
    params: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None

    def address(self, base_url: str) -> str:
        """The full URL."""
        query = f"?{urlencode(self.params)}" if self.params else ""
        return f"{base_url}{self.path}{query}"


@dataclass(frozen=True)
class Reply:
    """A whole answer, freed of the session secrets of its links and of the token that it was asked with."""

    status: int
    body: bytes
    charset: str = "utf-8"
    location: str = ""
    retry_after: str | None = None

    @property
    def is_good(self) -> bool:
        """Whether the status is a 2xx."""
        return 200 <= self.status < 300

    def text(self) -> str:
        """The body as text; a byte that is not of its character set becomes U+FFFD."""
        try:
            return self.body.decode(self.charset, "replace")
        except LookupError:
            return self.body.decode("utf-8", "replace")

    def failure(self, now: datetime) -> Verdict | None:
        """What the status says; ``None`` for a 2xx."""
        if self.is_good:
            return None
        wish = read_retry_after(self.retry_after, now)
        return read_status(self.status, location=self.location, retry_after_s=wish)


def open_client(concurrency: int) -> httpx2.AsyncClient:
    """A client that keeps ``concurrency`` connections alive; loopback addresses never go over a proxy.

    How many requests are under way is the caller's to bound: a wait inside the pool would count as the server's.

    It has no time limit of its own: :func:`exchange` bounds the whole attempt, which also ends an answer that
    drips in byte by byte.
    """
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=concurrency, keepalive_expiry=KEEPALIVE_S)
    return httpx2.AsyncClient(
        limits=limits,
        timeout=None,
        mounts=direct_mounts(),
        follow_redirects=False,
        headers={"User-Agent": "pattern2plan"},
    )


async def exchange(
    client: httpx2.AsyncClient, outgoing: Outgoing, base_url: str, headers: Mapping[str, str], timeout_s: float
) -> Reply | Verdict:
    """Send a request once and read its answer within ``timeout_s`` seconds and 16 MiB; never raises for the line."""
    method = "GET" if outgoing.body is None else "POST"
    try:
        async with asyncio.timeout(timeout_s):
            request = client.build_request(
                method, outgoing.address(base_url), content=outgoing.body, headers=dict(headers)
            )
            response = await client.send(request, stream=True)
            try:
                return await _whole(response, headers.get("Authorization", ""))
            finally:
                await response.aclose()
    except (TimeoutError, httpx2.TimeoutException):
        return Verdict(Code.TIMEOUT, f"no whole answer within {timeout_s:g} s")
    except httpx2.DecodingError as error:
        return Verdict(Code.WRONG_SHAPE, f"body: {one_line(error)}", passing=True)
    except httpx2.RequestError as error:
        return Verdict(Code.CONNECTION, f"{type(error).__name__}: {one_line(error, 120)}")


async def _whole(response: httpx2.Response, authorization: str) -> Reply | Verdict:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > BODY_BYTES:
            return Verdict(Code.WRONG_SHAPE, f"body: larger than {BODY_BYTES} bytes")
    return Reply(
        response.status_code,
        _without_token(body_without_secrets(bytes(body)), authorization),
        response.charset_encoding or "utf-8",
        response.headers.get("Location", ""),
        response.headers.get("Retry-After"),
    )


def _without_token(body: bytes, authorization: str) -> bytes:
    """A service that says back with what it was asked must not bring the token into events and errors (D-003)."""
    token = authorization.rpartition(" ")[2].encode()
    return body.replace(token, HIDDEN.encode()) if len(token) >= SHORTEST else body
