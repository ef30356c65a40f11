"""What a request model asks of whoever starts a run, field by field: the one source of options and launch config.

A field is declared once, in its model, with type, default, bounds and description; the command line and Dagster offer
it from here. Bounds are told in the help and checked by the model alone, so both entries refuse in the same words.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo


class RequestField(NamedTuple):
    """A field as it is offered: type without bounds, default (``...`` where it must be given), help."""

    name: str
    plain_type: Any
    default: Any
    help: str


def request_fields(model: type[BaseModel], leave_out: frozenset[str] = frozenset()) -> Iterator[RequestField]:
    """The fields of a request model in their order, without those that an entry answers by itself."""
    for name, field in model.model_fields.items():
        if name not in leave_out:
            default = ... if field.is_required() else field.default
            yield RequestField(name, _plain(field.annotation), default, _help(field))


def _plain(annotation: Any) -> Any:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _plain(get_args(annotation)[0])
    if origin is Literal:
        return str
    if origin in (Union, types.UnionType):
        inner = [_plain(part) for part in get_args(annotation) if part is not type(None)]
        return inner[0] | None if len(inner) == 1 else annotation
    return annotation


def _help(field: FieldInfo) -> str:
    bounds = {name: getattr(bound, name) for bound in field.metadata for name in ("ge", "le") if hasattr(bound, name)}
    said = field.description or ""
    if len(bounds) == 2 and bounds["le"] < 2**63 - 1:
        said = f"{said.rstrip('.')}, {bounds['ge']:,} … {bounds['le']:,}."
    return said
