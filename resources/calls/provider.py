"""A provider: a dialect (how to ask, how to read) at a place (address, token, limits) for one tool (S-013a).

Dialects are pure: they build a request and read an answer without touching the network.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import httpx2
from pydantic import BaseModel, SecretStr, ValidationError

from resources.calls.foreign_text.unreadable import Unreadable
from resources.calls.outcomes.answers import Code, Tool
from resources.calls.outcomes.verdicts import NoValue, Reading, Verdict, WrongShape, unreadable
from resources.calls.policy import Limits
from resources.calls.transport import Outgoing, Reply, exchange
from resources.foundation.validation_faults import first_fault

Request = TypeVar("Request", bound=BaseModel)
Value = TypeVar("Value", bound=BaseModel)


@dataclass(frozen=True)
class Dialect(Generic[Request, Value]):
    """How one vendor is asked and read.

    ``build`` gives ``None`` where this vendor cannot be asked such a thing. ``read`` gets the answer of a 2xx and
    may raise :class:`NoValue`, or :class:`WrongShape` or pydantic's ``ValidationError``, which name the field.
    ``probe`` is a cheap request that shows whether the vendor is there.
    """

    name: str
    tool: Tool
    build: Callable[[Request], Outgoing | None]
    read: Callable[[Reply, Request], Reading[Value]]
    probe: Outgoing


@dataclass(frozen=True)
class Provider(Generic[Request, Value]):
    """A dialect at an address; ``base_url`` without a slash at its end."""

    dialect: Dialect[Request, Value]
    base_url: str
    name: str = ""
    token: SecretStr | None = None
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        object.__setattr__(self, "base_url", self.base_url.rstrip("/"))
        object.__setattr__(self, "name", self.name or self.dialect.name)

    @property
    def tool(self) -> Tool:
        """The tool that this provider answers."""
        return self.dialect.tool

    async def ask(
        self, client: httpx2.AsyncClient, outgoing: Outgoing, request_id: str, timeout_s: float
    ) -> Reply | Verdict:
        """Send one request, once; a failure of the line comes back as a verdict."""
        return await exchange(client, outgoing, self.base_url, headers_for(self.token, request_id), timeout_s)


def read_reply(read: Callable[[Reply, Request], Reading[Value]], reply: Reply, request: Request) -> Reading[Value]:
    """A dialect's reading of a 2xx; a field of the wrong shape becomes a verdict that names it."""
    try:
        return read(reply, request)
    except ValidationError as error:
        return Reading(Verdict(Code.WRONG_SHAPE, named_field(error)))
    except NoValue as error:
        return Reading(error.verdict, error.raw)
    except WrongShape as error:
        return Reading(Verdict(Code.WRONG_SHAPE, str(error)))
    except Unreadable as error:
        return Reading(unreadable(error))


def headers_for(token: SecretStr | None, request_id: str) -> dict[str, str]:
    """The headers of every request: its id, and the token where there is one."""
    headers = {"X-Request-Id": request_id}
    if token is not None:
        headers["Authorization"] = f"Bearer {token.get_secret_value()}"
    return headers


def validated(model: type[Value], fields: Mapping[str, Any], place: str) -> Value:
    """A model from a part of a body.

    Raises:
        WrongShape: a field is missing or of another type; it is named with the part's ``place`` before it.
    """
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        inner, fault = first_fault(error)
        raise WrongShape(f"{place}.{inner}" if inner else place, fault) from error


def named_field(error: ValidationError) -> str:
    """``items.3: Input should be a valid string`` from the first error of a validation."""
    return ": ".join(first_fault(error, "body"))


def present(row: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a row that say something: ``null`` is as good as absent."""
    return {name: value for name, value in row.items() if value is not None}
