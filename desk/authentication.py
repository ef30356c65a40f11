"""The door: who a request is from, and how somebody gets in."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections import deque

from starlette.requests import Request

from desk.sessions import Session, Sessions
from resources.foundation.clock import Clock
from resources.foundation.errors import UsageError
from resources.settings.desk import DeskSettings
from supply_assets.review.review import Reviewer

COOKIE = "pattern2plan_desk"
TRIES_A_MINUTE = 10
FOREVER = 2**62


class TooManyTries(UsageError):
    """Wrong tokens came too fast."""


class Authenticator:
    """Knows people by the cookie of a sign-in, or by the header of a trusted proxy."""

    def __init__(self, settings: DeskSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._failures: deque[float] = deque(maxlen=TRIES_A_MINUTE)
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

    def sign_in(self, name: str, token: str) -> str | None:
        """The cookie of a right token; ``None`` for a wrong one.

        Raises:
            TooManyTries: ten wrong ones within a minute, whoever sent them.
            UsageError: the name is none that a decision could carry.
        """
        now = self._clock.now().timestamp()
        if len(self._failures) == TRIES_A_MINUTE and self._failures[0] > now - 60:
            raise TooManyTries("too many wrong tokens", "wait a minute")
        expected = self._settings.token.get_secret_value() if self._settings.token else secrets.token_hex(32)
        if not hmac.compare_digest(expected.encode(), token.encode("utf-8", "replace")):
            self._failures.append(now)
            return None
        return self.sessions.begin(Reviewer(name.strip(), "signs in").name)

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
