"""Typed errors: one sentence that names the thing, one that names the fix, and the exit code of the command line.

Exit codes: 1 ran but fell short, 2 wrong usage or settings, 3 a service could not be reached.
"""

from __future__ import annotations

import re


class Pattern2PlanError(Exception):
    """Root of every error this product raises on purpose; ``str()`` is one line without secrets."""

    exit_code = 1

    def __init__(self, message: str, fix: str = "") -> None:
        self.message = " ".join(message.split())
        self.fix = " ".join(fix.split())
        super().__init__(f"{self.message} -> {self.fix}" if self.fix else self.message)


class UsageError(Pattern2PlanError):
    """An argument is outside what the command takes."""

    exit_code = 2


class SettingsError(Pattern2PlanError):
    """An environment variable is missing, malformed or contradicts the entry point."""

    exit_code = 2


class ExecutionNotUsable(Pattern2PlanError):
    """D-004: the execution does not exist or its status is not ``success``."""

    exit_code = 2


class OutputRefused(Pattern2PlanError):
    """The output place is outside the allowed root, exists already, or is not writable."""

    exit_code = 2


class OutputFailed(Pattern2PlanError):
    """Writing failed half-way (disk full, device gone); nothing half-written is left under a final name."""

    exit_code = 1


class AddressNotUsable(UsageError):
    """A server cannot listen where it was asked to: the port is taken, or the address is not this machine's."""


class ServiceUnreachable(Pattern2PlanError):
    """A database or model endpoint could not be reached or did not answer in time."""

    exit_code = 3


class FactsUnreadable(ServiceUnreachable):
    """D-042: the pattern facts could not be read; never an acceptance and never "not found"."""


UNSENDABLE = (
    "the account name or password holds characters that the driver cannot send",
    "use letters that the server's handshake can carry",
)


class StoreUnwritable(ServiceUnreachable):
    """A store could not be read or written."""


class NoSuchTask(Pattern2PlanError):
    """No supply task has this id."""

    exit_code = 2


class IllegalMove(Pattern2PlanError):
    """S-004: the state machine does not know this move."""


class StaleTask(Pattern2PlanError):
    """S-004: the task is not in the state that the move was decided on; somebody else moved it."""


class LeaseLost(Pattern2PlanError):
    """S-005: the task, or the attempt at its stage, belongs to another worker by now."""


class RunEnded(Pattern2PlanError):
    """DG11: the run that a step works for was cancelled or given up meanwhile; the step does not begin."""


class PackRefused(Pattern2PlanError):
    """D-066: a pack that is not proven was handed to a sink."""


class ProposerFailed(Pattern2PlanError):
    """A proposer could not go on; what it proposed before stands."""


class PlatformUnreachable(ServiceUnreachable):
    """The content platform or the plan service was away; what stood before it went, stands."""


class ModelUnreachable(ServiceUnreachable):
    """The model endpoint is down, too slow, or answers something that is not its protocol."""


class ModelRefused(ModelUnreachable):
    """The model endpoint answers, and will not: the key, its credit, the request, or a filter of contents."""


_ADDRESSES = (
    (re.compile(r"^.*?connection to server (?:at|on socket) .*? failed: "), ""),
    (re.compile(r" on '[^']*'"), ""),
    (re.compile(r"host '[^']*'"), "host"),
)


def without_address(text: str) -> str:
    """A driver's message without the address it tried: parts of a DSN are not repeated (D-003)."""
    for pattern, replacement in _ADDRESSES:
        text = pattern.sub(replacement, text)
    return text


def one_line(error: BaseException, limit: int = 300) -> str:
    """First non-empty line of an error's text, cut to ``limit`` characters."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else type(error).__name__
    return text if len(text) <= limit else text[: limit - 1] + "…"
