"""One GraphQL exchange with a webserver: reads are repeated a few times, changes are sent once.

Does not belong here: any one query; they stand in the modules beside this one.
"""

from __future__ import annotations

from typing import Any, Self

import httpx2
import stamina
from pydantic import SecretStr

from resources.calls.direct_loopback import direct_mounts
from resources.dagster_api.errors import CodeServerAway, DagsterRefused, DagsterUnreachable
from resources.foundation.errors import one_line
from resources.settings.dagster_api import TOKEN

TIMEOUT_S = 60
READ_TRIES = 3
AWAY = ("DagsterUserCodeUnreachableError", "DagsterUserCodeProcessError", "DagsterCodeLocationLoadError")
STORAGE_AWAY = ("OperationalError", "InterfaceError", "DagsterPostgresException", "too many retries for DB connection")
Fields = dict[str, Any]


class DagsterApi:
    """Asks a webserver; every query has one top-level field, whose value is what a call returns."""

    def __init__(self, base_url: str, token: SecretStr | None = None, *, read_tries: int = READ_TRIES) -> None:
        self._address = f"{base_url.rstrip('/')}/graphql"
        self._base_url, self._token = base_url, token
        self._read_tries = read_tries
        headers = {} if token is None else {"Authorization": f"Bearer {token.get_secret_value()}"}
        self._client = httpx2.Client(timeout=TIMEOUT_S, mounts=direct_mounts(), headers=headers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def without_retries(self) -> DagsterApi:
        """The same webserver for somebody who asks again by himself."""
        return DagsterApi(self._base_url, self._token, read_tries=1)

    def read(self, query: str, *expected: str, **variables: Any) -> Fields:
        """The query's field, which must be one of the expected types.

        Raises:
            DagsterUnreachable: nobody answered, also after retries, or a code location is away.
            DagsterRefused: Dagster answered with an error.
        """
        for attempt in stamina.retry_context(
            on=_passes, attempts=self._read_tries, timeout=None, wait_initial=0.2, wait_max=2
        ):
            with attempt:
                return self.change(query, *expected, **variables)
        raise AssertionError("the last attempt returns or raises")

    def change(self, mutation: str, *expected: str, **variables: Any) -> Fields:
        """As :meth:`read`, sent exactly once: after an error nobody can say whether it was done."""
        (value,) = self._exchange(mutation, variables).values()
        return expect(value, *expected)

    def _exchange(self, query: str, variables: Fields) -> Fields:
        try:
            reply = self._client.post(self._address, json={"query": query, "variables": variables})
        except httpx2.HTTPError as error:
            raise DagsterUnreachable(
                f"the Dagster webserver at {self._base_url} does not answer: {type(error).__name__}"
            ) from None
        if reply.status_code in (401, 403):
            raise DagsterRefused(f"the Dagster webserver answered {reply.status_code}", f"set {TOKEN}")
        try:
            body = reply.json()
        except ValueError:
            body = None
        if not isinstance(body, dict) or not isinstance(body.get("data"), dict | None) or not body:
            raise DagsterUnreachable(
                f"what answers at {self._base_url} with {reply.status_code} is no Dagster webserver"
            )
        if body.get("errors"):
            raise typed_error(str(body["errors"][0].get("message", "")))
        data: Fields | None = body.get("data")
        if not data or reply.status_code >= 400:
            raise DagsterUnreachable(f"the Dagster webserver at {self._base_url} answered {reply.status_code}")
        return data


def expect(value: Any, *expected: str) -> Fields:
    """The value where its type is one of the expected.

    Raises:
        CodeServerAway: the location that would know is not there.
        DagsterRefused: it is an error of Dagster's.
    """
    if isinstance(value, dict) and value.get("__typename") in expected:
        return value
    kind = value.get("__typename", "") if isinstance(value, dict) else type(value).__name__
    said = str(value.get("message") or "") if isinstance(value, dict) else ""
    raise typed_error(said, kind, str(value.get("className") or "") if isinstance(value, dict) else "")


def typed_error(said: str, kind: str = "", class_name: str = "") -> DagsterUnreachable | DagsterRefused:
    """The typed error of what Dagster said: its first line, or that a code server or its database is away."""
    text = one_line(ValueError(said)) if said.strip() else kind
    if any(name in said or name == class_name for name in AWAY):
        return CodeServerAway(text)
    if any(name in said or name == class_name for name in STORAGE_AWAY):
        return DagsterUnreachable(
            "Dagster's own database does not answer", "start it; runs that were lost are launched anew"
        )
    named = f"{kind}: {text}" if kind and kind not in text else text
    return DagsterRefused(f"Dagster refused: {named}", "look at the run or the location in the UI")


def _passes(error: Exception) -> bool:
    return isinstance(error, DagsterUnreachable)
