"""Config of a launch from the fields of the model of its request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel, Field, create_model

from resources.foundation.request_fields import request_fields

Resource = TypeVar("Resource", bound=BaseModel)


def takes_config_of(model: type[BaseModel], *leave_out: str) -> Callable[[type[Resource]], type[Resource]]:
    """A class decorator: the resource takes each field of ``model`` as config, with its default and description."""

    def offer(resource: type[Resource]) -> type[Resource]:
        fields: dict[str, Any] = {
            field.name: (field.plain_type, Field(default=field.default, description=field.help))
            for field in request_fields(model, frozenset(leave_out))
        }
        offered: type[Resource] = create_model(
            resource.__name__, __base__=resource, __module__=resource.__module__, __doc__=resource.__doc__, **fields
        )
        return offered

    return offer


def config_values(resource: BaseModel, model: type[BaseModel], *leave_out: str) -> dict[str, object]:
    """What a launch asked for, by the names of ``model``'s fields."""
    return {field.name: getattr(resource, field.name) for field in request_fields(model, frozenset(leave_out))}
