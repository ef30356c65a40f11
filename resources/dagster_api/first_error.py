"""Why a run failed, in one line: one rule over what Dagster keeps of it, wherever it was read from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from resources.foundation.errors import one_line

FIX = "what_to_do"
"""The key of a failure's metadata under which a step of ours says what to do."""


NOTHING = "no error is recorded"


class Failure(NamedTuple):
    """One failure of a run: of a step, or of the run itself (``step`` is ``None``).

    ``told`` is what the step said for people; ``errors`` are the messages of the exception and its causes, outermost
    first.
    """

    step: str | None
    told: str = ""
    errors: tuple[str, ...] = ()
    fix: str | None = None


class FirstError(NamedTuple):
    """What to show of a failed run; ``text`` is empty where it says nothing."""

    text: str = ""
    fix: str | None = None


def first_error(failures: Iterable[Failure]) -> FirstError:
    """What the first failed step says, with its fix where it names one; else what the run says."""
    of_run = FirstError()
    for failure in failures:
        said = failure.told or (failure.errors[-1] if failure.errors else "")
        said = one_line(ValueError(said)) if said.strip() else ""
        if failure.step is not None:
            return FirstError(f"{failure.step}: {said or NOTHING}", failure.fix)
        of_run = FirstError(said)
    return of_run
