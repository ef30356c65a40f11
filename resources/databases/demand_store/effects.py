"""What a connection did, statement by statement: ``VERB table``, for the check of what a run may touch (D-063)."""

from __future__ import annotations

import re

_TABLE_AFTER = {
    "SELECT": re.compile(r"\bFROM\s+[`\"]?(\w+)", re.IGNORECASE),
    "DELETE": re.compile(r"\bFROM\s+[`\"]?(\w+)", re.IGNORECASE),
    "INSERT": re.compile(r"\bINTO\s+[`\"]?(\w+)", re.IGNORECASE),
    "REPLACE": re.compile(r"\bINTO\s+[`\"]?(\w+)", re.IGNORECASE),
    "UPDATE": re.compile(r"^\s*UPDATE\s+[`\"]?(\w+)", re.IGNORECASE),
}
_TRANSACTION = frozenset({"BEGIN", "COMMIT", "ROLLBACK", "SET", "SHOW", "PRAGMA"})


def effect_of(statement: str) -> str | None:
    """``VERB table`` of a statement; ``None`` where it touches no table (transactions, named locks, settings)."""
    words = statement.split(None, 1)
    verb = words[0].upper() if words else ""
    if not verb or verb in _TRANSACTION:
        return None
    if verb not in _TABLE_AFTER:
        return " ".join(statement.split()[:3])
    named = _TABLE_AFTER[verb].search(statement)
    if named is None:
        return None if verb == "SELECT" else verb
    return f"{verb} {named[1]}"
