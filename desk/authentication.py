"""The door: who a request is from, and how somebody gets in."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets

from starlette.requests import Request

from desk.sessions import Session, Sessions
from desk.wrong_tries import WrongTries, address_of
from resources.foundation.clock import Clock
from resources.foundation.errors import UsageError
from resources.settings.desk import DeskSettings
from supply_assets.review.review import Reviewer

COOKIE = "pattern2plan_desk"
PAUSE_S = 0.5
MOST_WAITING = 32
"""Answers that are held back at a time; a flood of wrong tokens must not fill the desk with them."""
FOREVER = 2**62


class TooManyTries(UsageError):
    """Wrong tokens came too fast from one address."""


class Authenticator:
    """Knows people by the cookie of a sign-in, or by the header of a trusted proxy."""

    def __init__(self, settings: DeskSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._wrong = WrongTries()
        self._waiting = 0
        token = settings.token.get_secret_value().encode() if settings.token else secrets.token_bytes(32)
        self.sessions = Sessions(hashlib.sha256(b"pattern2plan desk\x00" + token).digest(), clock)

    @property
    def asks_for_token(self) -> bool:
        return self._settings.token is not None

    def session_of(self, request: Request) -> Session | None:
        """The person of a request; ``None`` where nobody is known."""
        named = self._named_by_proxy(request)
        if named is not None:
            return Session(named, FOREVER, "proxy")
        cookie = request.cookies.get(COOKIE)
        return self.sessions.read(cookie) if cookie and self.asks_for_token else None

    def is_https(self, request: Request) -> bool:
        """Whether the browser speaks TLS: to the desk itself, or to a trusted proxy that says so."""
        said = request.headers.get("x-forwarded-proto", "").strip().lower()
        return request.url.scheme == "https" or (said == "https" and self._is_trusted_proxy(request))

    async def sign_in(self, request: Request, name: str, token: str) -> str | None:
        """The cookie of a right token, which always gets in; ``None`` for a wrong one.

        Raises:
            TooManyTries: a wrong one, after ten of the same address within a minute; said after a pause.
            UsageError: the name is none that a decision could carry.
        """
        expected = self._settings.token.get_secret_value() if self._settings.token else secrets.token_hex(32)
        if hmac.compare_digest(expected.encode(), token.encode("utf-8", "replace")):
            return self.sessions.begin(Reviewer(name.strip(), "signs in").name)
        address = address_of(request, self._settings.trusted_proxies)
        if self._wrong.are_too_many(address, self._clock.now().timestamp()):
            await self._pause()
            raise TooManyTries(
                "too many wrong tokens from this address", "the right one gets in at once; or wait a minute"
            )
        return None

    async def _pause(self) -> None:
        if self._waiting >= MOST_WAITING:
            return
        self._waiting += 1
        try:
            await asyncio.sleep(PAUSE_S)
        finally:
            self._waiting -= 1

    def _named_by_proxy(self, request: Request) -> str | None:
        header = self._settings.user_header
        if header is None or not self._is_trusted_proxy(request):
            return None
        named = request.headers.getlist(header)
        if len(named) != 1:
            # Of two names one may be the visitor's own, which a proxy that only adds has let through.
            return None
        try:
            # Starlette reads headers as Latin-1; proxies send names in UTF-8.
            return Reviewer(named[0].encode("latin-1").decode().strip(), "is named by the proxy").name
        except (UsageError, UnicodeError):
            return None

    def _is_trusted_proxy(self, request: Request) -> bool:
        return request.client is not None and request.client.host in self._settings.trusted_proxies
