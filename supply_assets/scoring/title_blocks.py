"""Which of many titles are worth comparing: those that share two of their rarest character pairs.

The pairs are those of :func:`supply_assets.scoring.title_forms.ring`. Two edits change at most four of them and a
swap of halves none, so of the six rarest of a title at least two survive and are among the six rarest of its twin:
within these bounds no twin is missed. The rarer a pair, the smaller its block, which keeps the work near linear.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

RAREST = 6
FULL_BLOCK = 64
WINDOW = 16
"""In blocks of more than ``FULL_BLOCK`` titles each is compared with the next ``WINDOW`` in alphabetical order."""

Ints = NDArray[np.int64]


class Candidates(NamedTuple):
    """Pairs of positions, ``left < right``, each once; ``shared`` is how many blocks hold both."""

    left: Ints
    right: Ints
    shared: Ints


def candidate_pairs(texts: Sequence[str]) -> Candidates:
    """Pairs of ``texts`` (distinct, in alphabetical order) that may be alike; texts under two characters have none."""
    blocks, members = _blocks(texts)
    if not len(blocks):
        nothing = np.empty(0, dtype=np.int64)
        return Candidates(nothing, nothing, nothing)
    order = np.lexsort((members, blocks))
    blocks, members = blocks[order], members[order]
    starts = np.flatnonzero(np.r_[True, blocks[1:] != blocks[:-1]])
    sizes = np.diff(np.r_[starts, len(blocks)])
    size = np.repeat(sizes, sizes)
    end = np.repeat(starts + sizes, sizes)
    reach = np.where(size <= FULL_BLOCK, size, WINDOW)
    codes: list[Ints] = []
    here = np.arange(len(members))
    for step in range(1, int(min(sizes.max(), FULL_BLOCK))):
        here = here[(here + step < end[here]) & (step < reach[here])]
        codes.append(members[here] * len(texts) + members[here + step])
    pairs, shared = np.unique(np.concatenate(codes) if codes else np.empty(0, dtype=np.int64), return_counts=True)
    return Candidates(pairs // len(texts), pairs % len(texts), shared)


def _blocks(texts: Sequence[str]) -> tuple[Ints, Ints]:
    """Block number and text position, one row a membership: a block is a pair of rare character pairs."""
    owners, grams = _grams(texts)
    kinds = int(grams.max(initial=0)) + 1
    place = np.arange(len(owners)) - np.searchsorted(owners, np.arange(len(texts)))[owners]
    kept = place < RAREST
    rare = np.full((len(texts), RAREST), -1, dtype=np.int64)
    rare[owners[kept], place[kept]] = grams[kept]
    blocks, members = [], []
    for first, second in combinations(range(RAREST), 2):
        having = np.flatnonzero(rare[:, second] >= 0)
        blocks.append(rare[having, first] * kinds + rare[having, second])
        members.append(having)
    return np.concatenate(blocks), np.concatenate(members)


def _grams(texts: Sequence[str]) -> tuple[Ints, Ints]:
    """Owner and number of each distinct ring pair of each text; owners ascend, within one the rarest comes first.

    A pair's number is its place among all pairs from the rarest to the most frequent.
    """
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    points = np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.uint32).astype(np.int64)
    ends = np.cumsum(lengths)
    following = np.arange(1, len(points) + 1)
    following[ends[lengths > 0] - 1] = (ends - lengths)[lengths > 0]
    _, kinds, frequency = np.unique((points << 21) | points[following], return_inverse=True, return_counts=True)
    number = np.empty(len(frequency), dtype=np.int64)
    number[np.argsort(frequency, kind="stable")] = np.arange(len(frequency))
    codes = np.sort(np.repeat(np.arange(len(texts)), lengths) * len(frequency) + number[kinds])
    distinct = codes[np.diff(codes, prepend=-1) > 0]
    return np.divmod(distinct, max(len(frequency), 1))
