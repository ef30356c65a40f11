"""How a call of the plan service can end other than well (S-028): each says whether the plan may exist."""

from __future__ import annotations

from resources.calls.outcomes.answers import Code
from resources.foundation.errors import Pattern2PlanError, ServiceUnreachable


class PlanRefused(Pattern2PlanError):
    """The service understood and refused: nothing was done, and sending the same again will not help."""

    def __init__(self, code: Code, message: str) -> None:
        self.code = code
        super().__init__(f"the plan service refused: {message}", "mend what it names, then force a new run of the task")


class PlanRateLimited(Pattern2PlanError):
    """The service took nothing because it is asked too often; ``retry_after_s`` is its wish, if it named one."""

    code = Code.RATE_LIMITED

    def __init__(self, retry_after_s: float | None, message: str) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(f"the plan service is asked too often: {message}", "run the task again later")


class PlanUnknown(ServiceUnreachable):
    """Nobody can say whether it was done: look the plan up by its operation id before anything is sent again."""

    def __init__(self, code: Code, message: str) -> None:
        self.code = code
        super().__init__(
            f"the plan service did not say what it did: {message}", "run the task again: it looks up first"
        )


class PlanConflict(Pattern2PlanError):
    """409: the service already has a plan of this operation id; look it up and adopt it."""

    code = Code.BAD_ARGUMENT

    def __init__(self, message: str) -> None:
        super().__init__(f"the plan service already has this operation: {message}", "look the plan up and adopt it")
