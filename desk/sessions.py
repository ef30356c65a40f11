"""Signed cookies: who signed in and until when, and a form token bound to them; nothing is kept on the server."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from dataclasses import dataclass

from resources.foundation import strict_json
from resources.foundation.clock import Clock

LIFE_S = 12 * 3600


@dataclass(frozen=True)
class Session:
    """A signed-in person; ``nonce`` tells this session from others of the same name."""

    name: str
    until: int
    nonce: str


class Sessions:
    """Makes and reads cookies with one key; another key, a changed byte or a past time reads as nobody."""

    def __init__(self, key: bytes, clock: Clock) -> None:
        self._key = key
        self._clock = clock

    def begin(self, name: str) -> str:
        """The cookie of somebody who has just signed in."""
        until = int(self._clock.now().timestamp()) + LIFE_S
        body = strict_json.dumps({"name": name, "until": until, "nonce": secrets.token_hex(8)}).encode()
        return f"{_text(body)}.{_text(self._mac(b'cookie', body))}"

    def read(self, cookie: str) -> Session | None:
        """Who the cookie is of."""
        first, _, second = cookie.partition(".")
        try:
            body, mac = _bytes(first), _bytes(second)
        except (binascii.Error, ValueError):
            return None
        if not hmac.compare_digest(mac, self._mac(b"cookie", body)):
            return None
        session = Session(**strict_json.loads(body.decode()))
        return session if session.until > self._clock.now().timestamp() else None

    def form_token(self, session: Session) -> str:
        """What each form of the session carries: another site cannot know it."""
        return _text(self._mac(b"form", f"{session.name}\x00{session.nonce}".encode()))

    def is_form_token(self, session: Session, given: str) -> bool:
        """Whether the form is one of ours; in constant time."""
        return hmac.compare_digest(self.form_token(session).encode(), given.encode())

    def _mac(self, purpose: bytes, body: bytes) -> bytes:
        return hmac.new(self._key, purpose + b"\x00" + body, hashlib.sha256).digest()


def _text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


def _bytes(value: str) -> bytes:
    return base64.urlsafe_b64decode(value + "=" * (-len(value) % 4))
