"""Pausing the cyclic garbage collector while very many long-lived objects are made at once."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """No cyclic collection within the block, or as long as an outer block pauses it.

    Deciding 10,000 candidates makes millions of objects that all live and hold no cycle; looking through them again
    and again for garbage took two fifths of the time. They leave as old objects: else the next young collection would
    look through all of them at once.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()
