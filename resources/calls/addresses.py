"""Where a service may be reached: a token never travels in the clear beyond this machine."""

from __future__ import annotations

from urllib.parse import urlsplit

from resources.foundation.errors import SettingsError

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def checked_base_url(url: str, name: str, *, carries_token: bool) -> str:
    """The base URL without a slash at its end.

    Raises:
        SettingsError: naming ``name``, when it is no http(s) address, carries a query or an account, or when a token
            would be sent over plain http to another machine.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError(f"{name} is no http or https address", "give it as https://host[:port][/path]")
    if parts.query or parts.fragment or parts.username or parts.password:
        raise SettingsError(f"{name} holds a query, a fragment or an account", "give address and path only")
    if carries_token and parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        raise SettingsError(f"{name} would carry a token over plain http", "use https, or unset the token")
    return url.rstrip("/")
