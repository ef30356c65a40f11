"""JSON that cannot lie: no NaN, no duplicate key, no silent change of a value."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from resources.foundation.errors import Pattern2PlanError


class JsonRefused(Pattern2PlanError):
    """A text is not strict JSON, or a value has no strict JSON form.

    ``without_text`` says it without a piece of the text, for ledgers that others read.
    """

    def __init__(self, message: str, without_text: str = "") -> None:
        super().__init__(message)
        self.without_text = without_text or self.message


def dumps(value: object, *, indent: int | None = None) -> str:
    """Strict JSON text, Chinese kept readable.

    Raises:
        JsonRefused: NaN, infinity, a lone surrogate, or a type JSON does not know.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
        text.encode("utf-8")
    except (ValueError, TypeError, RecursionError) as error:
        raise JsonRefused(f"value has no strict JSON form: {error}") from error
    return text


def loads(text: str | bytes) -> Any:
    """Parse strict JSON; a duplicate key at any depth is refused (field report LM5).

    Raises:
        JsonRefused: not JSON, a duplicate key, NaN or infinity, nesting too deep, or not UTF-8.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        return json.loads(text, object_pairs_hook=_without_duplicates, parse_constant=_no_constant, parse_float=_finite)
    except JsonRefused:
        raise
    except (ValueError, RecursionError) as error:
        raise JsonRefused(f"not strict JSON: {error}") from error


def with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """A JSON value with each of its texts changed, names of fields as well."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(name): with_texts(inner, change) for name, inner in value.items()}
    if isinstance(value, list):
        return [with_texts(inner, change) for inner in value]
    return value


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(seen := dict(pairs)) < len(pairs):
        key = _first_repeated(pairs)
        raise JsonRefused(f"duplicate key {key!r}", "duplicate key")
    return seen


def _first_repeated(pairs: list[tuple[str, Any]]) -> str:
    met: set[str] = set()
    return next(key for key, _ in pairs if key in met or met.add(key))  # type: ignore[func-returns-value]


def _no_constant(name: str) -> Any:
    raise JsonRefused(f"{name} is not JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise JsonRefused(f"{digits[:40]} is beyond what a number can hold", "a number is beyond what can be held")
    return value
