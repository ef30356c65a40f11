"""What is said of a foreign text that is not read."""

from __future__ import annotations

from resources.foundation.errors import Pattern2PlanError


class Unreadable(Pattern2PlanError):
    """A text is beyond what is read, or reading it took too long.

    ``passing`` where that may be the machine's doing rather than the text's: asking later may help.
    """

    def __init__(self, message: str, *, passing: bool = False) -> None:
        super().__init__(message)
        self.passing = passing
