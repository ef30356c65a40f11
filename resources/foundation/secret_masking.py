"""What may be a secret is replaced by ``***``: in log lines, and in foreign text that is kept (D-003, S-012).

Callers keep secrets out by themselves; this is for what a driver's or platform's text brings along.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from pydantic import SecretStr
from structlog.typing import EventDict

from resources.foundation.secret_files import secrets_folder, variable

HIDDEN = "***"
LINK_SECRETS = ("pass_ticket", "appmsg_token", "exportkey", "wxtoken")
"""Parameters of a link that are a session's on whatever host they stand."""
SESSION_PARAMETERS = ("key", "uin", "token", "sessionid", "session_us")
"""Parameters of a link that are a session's on the content platform; elsewhere they may name the page (WX22)."""
SHORTEST = 6
"""A shorter value is no secret, and replacing it would spoil what is said."""
_VARIABLE = re.compile(
    r"^(DEMAND|SUPPLY|CONTENT_SUPPLY|PATTERN2PLAN|ARK|OPENROUTER)_.*(PASSWORD|TOKEN|API_KEY|WEBHOOK)$"
)
_FILE = re.compile(r"(?i)(^|[._-])(PASSWORD|TOKEN|KEY|SECRET|WEBHOOK|COOKIE)$")
_PASSWORD = re.compile(r"\w://[^:/?#\s@]*:([^@/\s]+)@")
_NAMED = "|".join(LINK_SECRETS)
_NAME = re.compile(
    rf"(?i)(^|[_-])(password|passwd|pwd|secret|token|api_?key|authorization|cookie|dsn|webhook|{_NAMED})$"
)
_IN_TEXT = (
    (re.compile(r"(\w://[^:/?#\s@]*):[^@/\s]+@"), rf"\1:{HIDDEN}@"),
    (
        re.compile(rf"(?i)\b({_NAMED}|password|passwd|api_?key)(\s*[=:]\s*)[^&\s,;\"']+"),
        rf"\1\2{HIDDEN}",
    ),
    (re.compile(rf"(?i)([?&;](?:amp;)?(?:{'|'.join(SESSION_PARAMETERS)})=)[^&\s\"'#]+"), rf"\1{HIDDEN}"),
    (re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}"), rf"\1 {HIDDEN}"),
)


class SecretMask:
    """A processor of structlog; ``values`` are hidden wherever they stand."""

    def __init__(self, values: Sequence[str] = ()) -> None:
        self._values = sorted((value for value in values if len(value) >= SHORTEST), key=len, reverse=True)

    @classmethod
    def of_environment(cls) -> SecretMask:
        """With the secrets that this process was given by its environment or by files, passwords of DSNs too.

        Raises:
            SettingsError: the folder of secret files cannot be read.
        """
        folder = secrets_folder()
        files = list(folder.iterdir()) if folder else []
        names = {*os.environ, *(file.name for file in files)}
        secrets = [variable(name) or "" for name in names if _VARIABLE.match(name)]
        secrets += [variable(file.name) or "" for file in files if _FILE.search(file.name)]
        passwords = [_PASSWORD.search(variable(name) or "") for name in names if name.endswith("_DSN")]
        return cls(secrets + [unquote(found[1]) for found in passwords if found])

    def __call__(self, _logger: object, _method: str, line: EventDict) -> EventDict:
        return {name: self._entry(name, value) for name, value in line.items()}

    def _entry(self, name: Any, value: Any) -> Any:
        return HIDDEN if isinstance(name, str) and _NAME.search(name) and value else self.hidden(value)

    def hidden(self, value: Any) -> Any:
        """A value of JSON without what may be a secret, by name or by text."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, SecretStr):
            return HIDDEN
        if isinstance(value, Mapping):
            return {self.hidden(name): self._entry(name, inner) for name, inner in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self.hidden(inner) for inner in value]
        return value

    def _text(self, text: str) -> str:
        for secret in self._values:
            text = text.replace(secret, HIDDEN)
        for pattern, replacement in _IN_TEXT:
            text = pattern.sub(replacement, text)
        return text
