"""What a worker knows of the platform being there at all: a batch does not wait out every task where it never was."""

from __future__ import annotations

from dataclasses import dataclass

from resources.calls.outcomes.answers import Code
from resources.databases.supply_store.states import Stage
from supply_assets.stages.create_plan import PLAN_UNKNOWN

AWAY = frozenset({Code.TIMEOUT, Code.CONNECTION, Code.SERVER_ERROR, Code.BREAKER_OPEN, PLAN_UNKNOWN})
"""Error codes of a service that did not answer, in the plan's stage too."""
GIVE_UP_AFTER = 3
_WITHOUT_CALLS = (Stage.INIT, Stage.RANK, Stage.FINALIZE)


@dataclass
class PlatformReach:
    """Counted over the tasks of one worker.

    Given up is a platform that nothing was heard of, for three tasks or more, of which one had waited for its breaker:
    what was not begun stays as it is for the next run.
    """

    is_reached: bool = False
    away: int = 0
    waited: bool = False

    @property
    def is_doubtful(self) -> bool:
        return not self.is_reached and self.away >= GIVE_UP_AFTER

    @property
    def is_given_up(self) -> bool:
        return self.is_doubtful and self.waited

    def ended(self, stage: Stage) -> None:
        """A stage came to its end."""
        self.is_reached |= stage not in _WITHOUT_CALLS

    def failed(self, code: str, waits: int) -> None:
        """A task failed after so many pauses for the breaker."""
        if code in AWAY:
            self.away += 1
            self.waited |= waits > 0
        else:
            self.is_reached = True

    def patience(self, breaker_waits: int) -> int:
        """How many pauses a task waits for the breaker."""
        return min(breaker_waits, 1) if self.is_doubtful else breaker_waits
