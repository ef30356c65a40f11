"""Which of many titles are worth comparing: those that share two of their rarest character pairs.

The pairs are those of :func:`supply_assets.scoring.duplicates.title_forms.ring`. Two edits change at most four of
them and a swap of halves none, so of the six rarest of a title at least two survive and are among the six rarest of
its twin: within these bounds no twin is missed. The rarer a pair, the smaller its block, which keeps the work near
linear.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

RAREST = 6
FULL_BLOCK = 24
WINDOW = 4
"""In blocks of more than ``FULL_BLOCK`` texts only texts of one class are compared, and where these are still too
many, each with those less than ``WINDOW`` places after it in alphabetical order."""

SMALL_POOL = 256
"""So few texts are compared each with each: nothing is missed, however much was edited."""

Ints = NDArray[np.int64]


class Candidates(NamedTuple):
    """Pairs of positions, ``left < right``, each once; ``shared`` is how many blocks hold both."""

    left: Ints
    right: Ints
    shared: Ints


def candidate_pairs(texts: Sequence[str], classes: Sequence[int]) -> Candidates:
    """Pairs of ``texts`` (in alphabetical order) that may be alike; texts under two characters have none.

    ``classes`` numbers, for each text, what it should share with its twins (see ``FULL_BLOCK``). At most some hundred
    pairs a text come back, whatever the texts.
    """
    if len(texts) <= SMALL_POOL:
        left, right = np.triu_indices(len(texts), 1)
        return Candidates(left, right, np.full(len(left), RAREST))
    blocks, members = _blocks(texts)
    kind = np.asarray(classes, dtype=np.int64)[members]
    _, block, sizes = np.unique(blocks, return_inverse=True, return_counts=True)
    kind[sizes[block] <= FULL_BLOCK] = 0
    order = np.lexsort((members, kind, block))
    block, kind, members = block[order], kind[order], members[order]
    starts = np.flatnonzero((np.diff(block, prepend=-1) > 0) | (np.diff(kind, prepend=-1) != 0))
    sizes = np.diff(starts, append=len(members))
    reach = np.repeat(np.where(sizes <= FULL_BLOCK, sizes, WINDOW), sizes)
    end = np.repeat(starts + sizes, sizes)
    codes = [np.empty(0, dtype=np.int64)]
    here = np.arange(len(members))
    for step in range(1, FULL_BLOCK):
        here = here[(here + step < end[here]) & (step < reach[here])]
        codes.append(members[here] * len(texts) + members[here + step])
    pairs, shared = np.unique(np.concatenate(codes), return_counts=True)
    left, right = np.divmod(pairs, max(len(texts), 1))
    return Candidates(left, right, shared)


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
