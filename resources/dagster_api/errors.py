"""How a call of the webserver can end other than well."""

from __future__ import annotations

from resources.foundation.errors import Pattern2PlanError, ServiceUnreachable
from resources.settings.dagster_api import ADDRESS


class DagsterUnreachable(ServiceUnreachable):
    """The webserver did not answer, or not as a webserver of Dagster does."""

    def __init__(self, message: str, fix: str = f"start it (`make ui`), or set {ADDRESS}") -> None:
        super().__init__(message, fix)


class CodeServerAway(DagsterUnreachable):
    """The webserver answers, and the code location behind it does not."""

    def __init__(self, message: str) -> None:
        super().__init__(f"a code location is not there: {message}", "start its code server, or reload it in the UI")


class DagsterRefused(Pattern2PlanError):
    """Dagster understood and refused; nothing was done."""
