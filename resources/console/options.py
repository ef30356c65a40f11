"""Options of a command: those that many have, and those from the fields of the model of its request."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import typer
from pydantic import BaseModel

from resources.foundation.request_fields import RequestField, request_fields

Command = TypeVar("Command", bound=Callable[..., Any])
AsJson = Annotated[bool, typer.Option("--json", help="Answer as JSON.")]
"""The option of every command that answers."""


def takes_options_of(model: type[BaseModel], *leave_out: str) -> Callable[[Command], Command]:
    """A decorator: the command's ``**asked`` become one option a field of ``model``, before its own options."""

    def offer(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)
        own = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        asked = [_parameter(field) for field in request_fields(model, frozenset(leave_out))]
        parameters = sorted([*asked, *own], key=lambda one: one.default is not inspect.Parameter.empty)
        keyword = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]
        annotations = {one.name: one.annotation for one in keyword} | {"return": signature.return_annotation}
        vars(command).update(__signature__=signature.replace(parameters=keyword))
        command.__annotations__ = annotations
        return command

    return offer


def _parameter(field: RequestField) -> inspect.Parameter:
    names = (f"--{field.name.replace('_', '-')}",) if field.plain_type is bool else ()
    default = inspect.Parameter.empty if field.default is ... else field.default
    annotation = Annotated[field.plain_type, typer.Option(*names, help=field.help)]  # type: ignore[name-defined]
    return inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
