"""A small, fixed-size sample of what a text says, by which edited reposts of one text are told (S-024).

The sample is the smallest hashes of the text's character shingles (a bottom-k sketch): the same text gives the same
sample whatever its blanks, case and punctuation, and two samples estimate how much two texts share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supply_assets.normalisation.texts import key

SHINGLE = 4
SAMPLE = 2048
FEWEST = 40
"""Texts of fewer shingles are alike only when equal: too little to tell a repost from a common phrase."""

WORTH_CONTAINING = 0.5
"""A text that holds another counts as its repost up to twice its size; beyond, it is a collection."""

_COLUMNS = 8192
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_MIXER = np.uint64(0xBF58476D1CE4E5B9)


@dataclass(frozen=True, slots=True, eq=False)
class TextSketch:
    """``sample``: ascending hashes, all of them where the text has at most ``SAMPLE``; ``size``: distinct shingles."""

    sample: NDArray[np.uint64]
    size: int

    @classmethod
    def of(cls, text: str) -> TextSketch:
        """Sketch of ``text``; one without letters has size 0."""
        points = np.frombuffer(key(text).encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
        hashes = np.zeros(max(len(points) - SHINGLE + 1, min(len(points), 1)), dtype=np.uint64)
        for offset in range(min(SHINGLE, len(points))):
            hashes = (hashes ^ points[offset : offset + len(hashes)]) * _MULTIPLIER
            hashes ^= hashes >> np.uint64(29)
        hashes *= _MIXER
        hashes ^= hashes >> np.uint64(32)
        distinct = np.unique(hashes)
        return cls(distinct[:SAMPLE], len(distinct))

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
        union = np.union1d(self.sample, other.sample)[:SAMPLE]
        both = np.intersect1d(self.sample, other.sample, assume_unique=True)
        shared = int(np.isin(union, both, assume_unique=True).sum())
        jaccard = shared / len(union)
        if smaller < WORTH_CONTAINING * larger:
            return jaccard
        return min(1.0, jaccard / (1 + jaccard) * (smaller + larger) / smaller)


def alike_samples(sketches: Sequence[TextSketch], threshold: float) -> list[tuple[int, int]]:
    """Positions ``left < right`` whose samples overlap enough for a similarity of ``threshold`` to be possible.

    A similarity of ``threshold`` between texts of which one is twice the other leaves a third of it as Jaccard
    coefficient; half of that again is asked for here, so that the estimate's scatter loses no pair.
    """
    lengths = np.array([len(sketch.sample) for sketch in sketches], dtype=np.int64)
    if not lengths.sum():
        return []
    hashes = np.concatenate([sketch.sample for sketch in sketches])
    owners = np.repeat(np.arange(len(sketches)), lengths)
    _, column, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    common = counts[column] > 1
    owners, column = owners[common], np.unique(column[common], return_inverse=True)[1]
    both = np.zeros((len(sketches), len(sketches)), dtype=np.float32)
    for start in range(0, int(column.max(initial=-1)) + 1, _COLUMNS):
        here = (column >= start) & (column < start + _COLUMNS)
        holds = np.zeros((len(sketches), _COLUMNS), dtype=np.float32)
        holds[owners[here], column[here] - start] = 1
        both += holds @ holds.T
    enough = both >= np.maximum(1, threshold / 6 * np.minimum.outer(lengths, lengths))
    lefts, rights = np.nonzero(np.triu(enough, 1))
    return list(zip(lefts.tolist(), rights.tolist(), strict=True))
