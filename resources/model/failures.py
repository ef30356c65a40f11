"""How a model endpoint fails, each failure under its own name and with what to do about it; never with its key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pydantic_ai.exceptions import ModelHTTPError

from resources.foundation.errors import ModelRefused, ModelUnreachable
from resources.model.error_bodies import said_in, tells_of_filter

RULES_INSTEAD = "or use --proposer rules"


@dataclass(frozen=True)
class EndpointFailures:
    """The failures of the endpoint that the variables of ``prefix`` name.

    Args:
        hide: takes the key, and what an address holds beside host and path, out of a text.
    """

    prefix: str
    address: str
    hide: Callable[[str], str]

    def unreachable(self, what: str) -> ModelUnreachable:
        """Nothing answers at the address, or not in time."""
        fix = f"check {self.prefix}_BASE_URL and that the endpoint is up, {RULES_INSTEAD}"
        return ModelUnreachable(f"the model endpoint {self.address} {what}", fix)

    def off_protocol(self) -> ModelUnreachable:
        """Something answers that does not speak the protocol."""
        return ModelUnreachable(
            f"the model endpoint {self.address} did not answer with the chat completions protocol",
            f"check that {self.prefix}_BASE_URL ends where /chat/completions follows",
        )

    def broken_off(self, reason: str) -> ModelUnreachable:
        """Every answer came with an end that is none, or with an error in the place of an answer (LM10)."""
        return ModelUnreachable(
            f"the model endpoint {self.address} {self.hide(reason)}, again and again", self._later()
        )

    def http_error(self, error: ModelHTTPError) -> ModelUnreachable:
        """The endpoint answered with an error status."""
        status, said = error.status_code, self.hide(said_in(error.body))
        shown = f"(HTTP {status})" + (f": {said}" if said else "")
        if status >= 500 or status == 408:
            return ModelUnreachable(f"the model endpoint {self.address} failed {shown}, again and again", self._later())
        what, fix = self._refusal(status, said)
        if status == 429:
            return ModelUnreachable(f"the model endpoint {self.address} {what} {shown}", fix)
        return ModelRefused(f"the model endpoint {self.address} {what} {shown}", fix)

    def _refusal(self, status: int, said: str) -> tuple[str, str]:
        if status not in (401, 402, 404, 429) and tells_of_filter(said):
            fix = f"name another model in {self.prefix}_MODEL, {RULES_INSTEAD}"
            return "withheld its answer: a filter of contents", fix
        if status in (401, 403):
            return "refused the key", f"set {self.prefix}_API_KEY to a valid key"
        if status == 402:
            return "has no credit for the key", f"top up the account of {self.prefix}_API_KEY, {RULES_INSTEAD}"
        if status == 429:
            return (
                "is asked more than the key may, again and again",
                f"wait, or have the rate or the quota of {self.prefix}_API_KEY raised, {RULES_INSTEAD}",
            )
        if status in (404, 405):
            return "knows no such model or address", f"check {self.prefix}_MODEL and {self.prefix}_BASE_URL"
        return "refused the request", f"do what it says, or check that {self.prefix}_MODEL takes tools"

    def _later(self) -> str:
        return f"try again later: the endpoint, or what stands before it, is in trouble; {RULES_INSTEAD}"
