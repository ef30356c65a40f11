"""Column types that refuse what a column cannot hold, the same way on every database (MY1, MY5, MY6, MY8, MY13).

Each takes the column's name, so that an error names it. A refused value is raised as it is, not wrapped by the driver.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from sqlalchemy import JSON, ColumnElement, DateTime, Dialect, Numeric, SmallInteger, String, Text
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DontWrapMixin
from sqlalchemy.sql import operators
from sqlalchemy.types import TypeDecorator, TypeEngine

from resources.databases.engines.exact_text import as_bytes
from resources.foundation import strict_json
from resources.foundation.errors import Pattern2PlanError

TEXT_BYTES = 65_535
_CENT = Decimal("0.01")
_BEYOND = Decimal(10) ** 6
_EXACT = frozenset({operators.eq, operators.ne, operators.in_op, operators.not_in_op})


class ValueRefused(Pattern2PlanError, DontWrapMixin):
    """A value does not fit its column; nothing is cut or clamped silently."""


class ScoreOutOfRange(ValueRefused):
    """A score is no finite number, or outside what its column takes (MY8)."""


class NaiveTime(ValueRefused):
    """A time without a zone was handed in; it could be any instant (MY13)."""


class JsonFieldRefused(strict_json.JsonRefused, DontWrapMixin):
    """A value inside a JSON column has no strict JSON form; the message holds its path (MY6)."""


class Varchar(TypeDecorator[str]):
    """VARCHAR(length), counted in code points; longer text and lone surrogates are refused.

    Compared with Python texts it is compared exactly, whatever the collation of the column (MY3).
    """

    impl = String
    cache_ok = True

    def __init__(self, field: str, length: int) -> None:
        super().__init__(length)
        self.field = field
        self.length = length

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None:
            return None
        _sendable(self.field, value)
        if len(value) > self.length:
            raise ValueRefused(f"{self.field} holds {len(value)} characters of at most {self.length}")
        return str(value)

    def coerce_compared_value(self, op: Any, value: Any) -> TypeEngine[Any]:
        return _ComparedVarchar(self.field, self.length) if op in _EXACT else self


class _ComparedVarchar(Varchar):
    """What a column of texts is compared with."""

    cache_ok = True

    def bind_expression(self, bindvalue: Any) -> ColumnElement[str]:
        return as_bytes(bindvalue)

    def coerce_compared_value(self, op: Any, value: Any) -> TypeEngine[Any]:
        return self


class LongText(TypeDecorator[str]):
    """TEXT: at most 65,535 bytes of UTF-8."""

    impl = Text
    cache_ok = True

    def __init__(self, field: str) -> None:
        super().__init__()
        self.field = field

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is not None and _sendable(self.field, value) > TEXT_BYTES:
            raise ValueRefused(f"{self.field} holds more than {TEXT_BYTES} bytes")
        return value


def _sendable(field: str, value: str) -> int:
    """Bytes of the value as UTF-8."""
    try:
        return len(value.encode("utf-8"))
    except UnicodeEncodeError:
        raise ValueRefused(f"{field} holds half of a character", "clean the text before it is stored") from None


class StrictJson(TypeDecorator[Any]):
    """JSON; ``None`` is SQL NULL (MY5), NaN and infinity are refused with their path (MY6)."""

    impl = JSON
    cache_ok = True

    def __init__(self, field: str) -> None:
        super().__init__()
        self.field = field

    def coerce_compared_value(self, op: Any, value: Any) -> TypeEngine[Any]:
        return self.impl_instance.coerce_compared_value(op, value)

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], str | None]:
        """The JSON text itself: one pass, with the column's name at hand."""
        return lambda value: None if value is None else json_text(self.field, value)


def json_text(field: str, value: object) -> str:
    """Strict JSON text of a column's value.

    Raises:
        JsonFieldRefused: naming ``field`` and the path within it.
    """
    try:
        return strict_json.dumps(value)
    except strict_json.JsonRefused as error:
        where = next(_not_strict(value, f"{field}: $"), f"{field}: $")
        raise JsonFieldRefused(f"{where}: {error.message}") from None


def _not_strict(value: object, path: str) -> Iterator[str]:
    """Paths of the leaves that strict JSON does not take."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _not_strict(inner, f"{path}.{key!s:.40}")
    elif isinstance(value, list | tuple):
        for place, inner in enumerate(value):
            yield from _not_strict(inner, f"{path}[{place}]")
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield path
    elif not isinstance(value, str | int | None):
        yield path


class UtcDateTime(TypeDecorator[datetime]):
    """DATETIME in UTC, whole seconds; aware datetimes at the surface, naive ones are refused (MY13).

    The fraction is dropped here: MySQL would round it up, into the future.
    """

    impl = DateTime
    cache_ok = True

    def __init__(self, field: str) -> None:
        super().__init__()
        self.field = field

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        whole: TypeEngine[Any] = DateTime()
        if dialect.name == "sqlite":
            whole = sqlite.DATETIME(truncate_microseconds=True)  # type: ignore[no-untyped-call]
        return dialect.type_descriptor(whole)

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else whole_utc(self.field, value).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.replace(tzinfo=UTC)


def whole_utc(field: str, value: datetime) -> datetime:
    """The instant as it is stored: UTC, whole seconds.

    Raises:
        NaiveTime: the time has no zone.
    """
    if value.tzinfo is None:
        raise NaiveTime(f"{field} is a time without a zone", "hand in an aware datetime")
    return value.astimezone(UTC).replace(microsecond=0)


class Score(TypeDecorator[float]):
    """DECIMAL(digits, 2) between two bounds; floats are rounded half-even to two decimals, then checked (MY8)."""

    impl = Numeric
    cache_ok = True

    def __init__(self, field: str, digits: int, low: float, high: float) -> None:
        super().__init__(digits, 2, asdecimal=False)
        self.field = field
        self.digits = digits
        self.low = low
        self.high = high

    def process_bind_param(self, value: float | None, dialect: Dialect) -> float | None:
        return None if value is None else self.stored(value)

    def process_result_value(self, value: float | None, dialect: Dialect) -> float | None:
        return None if value is None else float(value)

    def stored(self, value: float) -> float:
        """The value as the column keeps it.

        Raises:
            ScoreOutOfRange: naming the column and its range.
        """
        exact = _exact(value)
        if exact is not None and abs(exact) < _BEYOND:
            rounded = float(exact.quantize(_CENT, ROUND_HALF_EVEN))
            if self.low <= rounded <= self.high:
                return rounded
        raise ScoreOutOfRange(f"{self.field} takes {self.low:g} to {self.high:g}, not {_shown(value)}")


def _shown(value: object) -> str:
    """A refused value in a few characters; an integer may have more digits than Python prints."""
    return (
        f"an integer of {value.bit_length()} bits" if isinstance(value, int) and abs(value) > 1e18 else f"{value!r:.40}"
    )


def _exact(value: object) -> Decimal | None:
    """A finite number as it is written: the shortest text of a float is the number that its writer meant."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    exact = Decimal(str(value)) if isinstance(value, float) else Decimal(value)
    return exact if exact.is_finite() else None


class Flag(TypeDecorator[bool]):
    """TINYINT that is 0 or 1."""

    impl = SmallInteger
    cache_ok = True

    def process_bind_param(self, value: bool | None, dialect: Dialect) -> int | None:
        return None if value is None else int(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> bool | None:
        return None if value is None else bool(value)
