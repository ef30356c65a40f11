"""Functions of texts that are asked for the same texts again and again: each text is worked on once a process.

Belongs here: a memory bounded by the characters that it keeps, since ``lru_cache`` counts calls and a body may be a
megabyte. Does not belong here: what is remembered. Only for pure functions whose results nobody changes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import TypeVar, TypeVarTuple

Given = TypeVarTuple("Given")
Result = TypeVar("Result")


def remembered(most_characters: int) -> Callable[[Callable[[*Given], Result]], Callable[[*Given], Result]]:
    """Keep the results for the arguments asked for last, as long as their texts have ``most_characters`` at the most.

    Arguments are hashable, and each set of them counts as one character more than its texts hold. Threads wait for one
    another, also for what is kept.
    """

    def remembering(compute: Callable[[*Given], Result]) -> Callable[[*Given], Result]:
        kept: OrderedDict[tuple[object, ...], Result] = OrderedDict()
        lock = RLock()
        characters = 0

        @wraps(compute)
        def recalled(*args: *Given) -> Result:
            nonlocal characters
            with lock:
                if args in kept:
                    kept.move_to_end(args)
                    return kept[args]
                result = kept[args] = compute(*args)
                characters += _characters(args)
                while characters > most_characters:
                    characters -= _characters(kept.popitem(last=False)[0])
                return result

        return recalled

    return remembering


def _characters(args: tuple[object, ...]) -> int:
    return 1 + sum(len(text) for text in args if isinstance(text, str))
