"""A small, fixed-size sample of what a text says, by which edited reposts of one text are told (S-024).

The sample is the smallest hashes of the text's character shingles (a bottom-k sketch): the same text gives the same
sample whatever its blanks, case and punctuation, and two samples estimate how much two texts share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supply_assets.normalisation.remembered import remembered
from supply_assets.normalisation.texts import key

SHINGLE = 4
SAMPLE = 2048
FEWEST = 40
"""Texts of fewer shingles are alike only when equal: too little to tell a repost from a common phrase."""

WORTH_CONTAINING = 0.5
"""A text that holds another counts as its repost up to twice its size; beyond, it is a collection."""

MOST_CHARACTERS = 4_000_000
"""Of the texts whose sketches are remembered; a sketch takes at most 16 KB."""

_COLUMNS = 8192
_ROUNDING = 1e-9
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_MIXER = np.uint64(0xBF58476D1CE4E5B9)


@dataclass(frozen=True, slots=True, eq=False)
class TextSketch:
    """``sample``: ascending hashes, all of them where the text has at most ``SAMPLE``; ``size``: distinct shingles."""

    sample: NDArray[np.uint64]
    size: int

    def similarity(self, other: TextSketch) -> float:
        """Estimated share of shingles in common, 0 … 1.

        Jaccard coefficient; or, where one text is at least half as large as the other, the share of the smaller that
        the larger holds. 0 where either is empty; texts under 40 shingles give 1 when equal and else 0.
        """
        smaller, larger = sorted((self.size, other.size))
        if smaller == 0:
            return 0.0
        if smaller < FEWEST:
            return float(np.array_equal(self.sample, other.sample))
        merged = np.concatenate((self.sample, other.sample))
        merged.sort(kind="stable")
        repeats = np.flatnonzero(merged[1:] == merged[:-1])
        united = min(SAMPLE, len(merged) - len(repeats))
        jaccard = int(np.count_nonzero(repeats - np.arange(len(repeats)) < united)) / united
        if smaller < WORTH_CONTAINING * larger:
            return jaccard
        return min(1.0, jaccard / (1 + jaccard) * (smaller + larger) / smaller)


@remembered(MOST_CHARACTERS)
def sketch_of(text: str) -> TextSketch:
    """Sketch of ``text``; one without letters has size 0."""
    points = np.frombuffer(key(text).encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
    hashes = np.zeros(max(len(points) - SHINGLE + 1, min(len(points), 1)), dtype=np.uint64)
    for offset in range(min(SHINGLE, len(points))):
        hashes = (hashes ^ points[offset : offset + len(hashes)]) * _MULTIPLIER
        hashes ^= hashes >> np.uint64(29)
    hashes *= _MIXER
    hashes ^= hashes >> np.uint64(32)
    distinct = np.unique(hashes)
    sample = distinct[:SAMPLE].copy()
    sample.setflags(write=False)
    return TextSketch(sample, len(distinct))


def alike_samples(sketches: Sequence[TextSketch], threshold: float) -> list[tuple[int, int]]:
    """Positions ``left < right`` whose samples have enough in common for a similarity of ``threshold``.

    No pair of that similarity is missing: what two samples share bounds it from above.
    """
    both = _in_common([sketch.sample for sketch in sketches])
    lengths = np.array([len(sketch.sample) for sketch in sketches])
    sizes = np.array([sketch.size for sketch in sketches])
    lefts, rights = np.nonzero(both)
    shared, ours, theirs = both[lefts, rights], lengths[lefts], lengths[rights]
    smaller, larger = np.minimum(sizes[lefts], sizes[rights]), np.maximum(sizes[lefts], sizes[rights])
    jaccard = np.minimum(1, shared / np.minimum(SAMPLE, ours + theirs - shared))
    contained = jaccard / (1 + jaccard) * (smaller + larger) / smaller
    most = np.where(smaller < WORTH_CONTAINING * larger, jaccard, contained)
    enough = np.where(smaller < FEWEST, shared == np.maximum(ours, theirs), most >= threshold - _ROUNDING)
    return list(zip(lefts[enough].tolist(), rights[enough].tolist(), strict=True))


def _in_common(samples: Sequence[NDArray[np.uint64]]) -> NDArray[np.int64]:
    """How many hashes each two samples have in common, the upper half alone.

    Counted in bits: a product of matrices would start threads that go on spinning after it, at our own cost.
    """
    both = np.zeros((len(samples), len(samples)), dtype=np.int64)
    lengths = [len(sample) for sample in samples]
    if not sum(lengths):
        return both
    owners = np.repeat(np.arange(len(samples)), lengths)
    _, column, counts = np.unique(np.concatenate(samples), return_inverse=True, return_counts=True)
    common = counts[column] > 1
    owners, column = owners[common], np.unique(column[common], return_inverse=True)[1]
    for start in range(0, int(column.max(initial=-1)) + 1, _COLUMNS):
        here = (column >= start) & (column < start + _COLUMNS)
        holds = np.zeros((len(samples), _COLUMNS), dtype=np.bool_)
        holds[owners[here], column[here] - start] = True
        bits = np.packbits(holds, axis=1).view(np.uint64)
        for place in range(len(samples) - 1):
            shared = np.bitwise_count(bits[place] & bits[place + 1 :])
            both[place, place + 1 :] += shared.sum(axis=1, dtype=np.int64)
    return both
