"""The phrases of made-up articles, as ``phrases.toml`` beside this module has them.

Belongs here: reading them, drawing what fills their gaps. Does not belong here: which phrase an article gets
(``generated``, ``bodies``).
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files

PHRASES: Mapping[str, Sequence[str]] = tomllib.loads(
    files(__package__).joinpath("phrases.toml").read_text(encoding="utf-8")
)


def draw_circumstances(source: random.Random) -> dict[str, str]:
    """Who, when, where and a number: what fills the gaps that no storyline fills."""
    drawn = {name: source.choice(PHRASES[name]) for name in ("who", "when", "where")}
    return drawn | {"n": str(source.randint(2, 9))}
