"""What is wrong first with a value that a model refuses, for messages of one line."""

from __future__ import annotations

from pydantic import ValidationError


def first_fault(error: ValidationError, whole: str = "") -> tuple[str, str]:
    """Where the first fault is, and what it is; never the value that was given.

    The place is the path of field names and list places, joined by dots; ``whole`` where it is the value itself.
    """
    first = error.errors(include_url=False, include_input=False)[0]
    return ".".join(map(str, first["loc"])) or whole, first["msg"]
