"""How the id of an account is stored, so that a database tells apart what Python tells apart (MY3).

``account_id`` is the one key of the nine tables that holds foreign text: ``gh_…``, ``biz:MzAx…==``, ``name:café``. Its
column and its unique key are the source's (S-040), with the server's collation, which merges ``MzAx`` with ``mzax`` and
``café`` with ``cafe``. So the value is written in letters that no collation merges: a-z, digits, plain marks and the
unified ideographs stand for themselves, a capital is ``!`` and its small letter, anything else ``!0`` and its code
point in hex and ``;``. The form can be read back, so Python sees the id as it came, and nothing needs a second column;
``account_name`` stands beside it for whoever reads the table.

All other keys of ours need no such form. Ids of tasks, traces, requests and operations, ``dedup_hash``, the
``idempotency_key``, names of plans and of locks are made of digits, small letters and plain marks, and every comparison
with a text is exact (:class:`~resources.databases.supply_store.column_types.Varchar`).
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

from sqlalchemy import Dialect

from resources.databases.supply_store.column_types import ValueRefused, Varchar

LENGTH = 128
_WRITTEN_OTHERWISE = re.compile(r"[^a-z0-9_\-:=+/.\u4e00-\u9fff\ud800-\udfff]")  # half a character is refused
_WRITTEN = re.compile(r"!(?:([a-z])|0([0-9a-f]+);)")


def stored_account_id(account_id: str) -> str:
    """The form that is stored; two ids have forms that a collation takes for one only where they are one."""
    return _WRITTEN_OTHERWISE.sub(_otherwise, account_id)


def account_id_of(stored: str) -> str:
    """The id that a stored form stands for."""
    return _WRITTEN.sub(lambda found: found[1].upper() if found[1] else chr(int(found[2], 16)), stored)


def fitting_account_id(prefix: str, name: str) -> str:
    """``prefix`` and ``name`` where their stored form fits its column, else ``prefix`` and the hash of the name."""
    whole = prefix + name
    if len(stored_account_id(whole)) <= LENGTH:
        return whole
    return prefix + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def _otherwise(found: re.Match[str]) -> str:
    sign = found[0]
    return f"!{sign.lower()}" if "A" <= sign <= "Z" else f"!0{ord(sign):x};"


class AccountId(Varchar):
    """VARCHAR(128) that holds the stored form of an account's id; a form that does not fit is refused."""

    cache_ok = True

    def __init__(self, field: str) -> None:
        super().__init__(field, LENGTH)

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None:
            return None
        try:
            return super().process_bind_param(stored_account_id(value), dialect)
        except ValueRefused as error:
            raise ValueRefused(f"{error.message}, as it is stored", "use fitting_account_id") from None

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else account_id_of(value)

    def coerce_compared_value(self, op: Any, value: Any) -> AccountId:
        """The stored form is in letters of which no two are equal: no comparison needs to be told so."""
        return self
