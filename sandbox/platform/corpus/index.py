"""An inverted index over titles and digests by pairs of characters; ranks more than 100,000 articles in milliseconds.

Belongs here: building postings and ranking positions for a query. Does not belong here: what an article is.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_POSITION_BITS = 20
_CODE_BITS = 21
MAX_ARTICLES = 2**_POSITION_BITS
TITLE_WEIGHT, DIGEST_WEIGHT = 2, 1
WHOLE_TERM_BONUS = 0.5
_KEPT_QUERIES = 1024

Positions = NDArray[np.int64]
_Part = slice | NDArray[np.int64]


class SearchIndex:
    """Postings of every pair of neighbouring letters or digits; a title counts twice a digest.

    Args:
        titles, digests: texts by position, at most :data:`MAX_ARTICLES`.
        published: epoch seconds by position; of two equal scores the newer article comes first.

    Raises:
        ValueError: there are more articles than a posting can name.
    """

    def __init__(self, titles: Sequence[str], digests: Sequence[str], published: Sequence[int]) -> None:
        if len(titles) > MAX_ARTICLES:
            raise ValueError(f"an index holds at most {MAX_ARTICLES} articles")
        self._published = np.asarray(published, dtype=np.int64)
        keys = [_keys([_folded(text) for text in texts]) for texts in (titles, digests)]
        self._pairs, self._starts, self._positions, self._weights = _postings(keys)
        self._ranked = lru_cache(maxsize=_KEPT_QUERIES)(self._rank)

    def search(self, query: str) -> Positions:
        """Positions that match, best first: score, then newest, then position; blank matches nothing.

        A text matches that holds two thirds of the pairs of one of the query's words; all of them weigh more.
        """
        return self._ranked(" ".join(_folded(query).split()))

    def _rank(self, query: str) -> Positions:
        scores = np.zeros(len(self._published), dtype=np.float32)
        matched = np.zeros(len(scores), dtype=bool)
        for term in query.split():
            characters = _characters(term)
            if len(characters) == 1:
                self._score_term([self._holding(characters[0])], scores, matched)
            elif (pairs := np.unique(_pair_codes(characters)[0])).size:
                self._score_term([self._range_of(pair) for pair in pairs], scores, matched)
        found = np.flatnonzero(matched)
        return found[np.lexsort((found, -self._published[found], -scores[found]))]

    def _score_term(self, parts: Sequence[_Part], scores: NDArray[np.float32], matched: NDArray[np.bool_]) -> None:
        hits = np.zeros(len(scores), dtype=np.uint16)
        gained = np.zeros(len(scores), dtype=np.float32)
        for part in parts:
            positions = self._positions[part]
            gained[positions] += self._weights[part] * np.float32(np.log1p(len(scores) / (len(positions) + 1)))
            hits[positions] += 1
        gained[hits == len(parts)] *= 1 + WHOLE_TERM_BONUS
        scores += gained
        matched |= hits >= np.ceil(len(parts) * 2 / 3)

    def _range_of(self, pair: np.uint64) -> _Part:
        """Where the postings of ``pair`` are; an empty range where no text has it."""
        at = int(np.searchsorted(self._pairs, pair))
        if at == len(self._pairs) or self._pairs[at] != pair:
            return slice(0, 0)
        return slice(int(self._starts[at]), int(self._starts[at + 1]))

    def _holding(self, character: np.uint64) -> _Part:
        """One posting for each text that has ``character`` in a pair."""
        first, second = self._pairs >> np.uint64(_CODE_BITS), self._pairs & np.uint64(2**_CODE_BITS - 1)
        having = np.flatnonzero((first == character) | (second == character))
        ranges = [np.arange(self._starts[at], self._starts[at + 1]) for at in having]
        if not ranges:
            return slice(0, 0)
        postings = np.concatenate(ranges)
        return postings[np.unique(self._positions[postings], return_index=True)[1]]


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


def _characters(text: str) -> NDArray[np.uint64]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)


def _pair_codes(characters: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Codes of neighbouring letters or digits, and where each begins."""
    lettered = np.zeros(2**_CODE_BITS, dtype=bool)
    kinds = np.flatnonzero(np.bincount(characters.astype(np.int64)))
    lettered[kinds] = [chr(kind).isalnum() for kind in kinds.tolist()]
    within = lettered[characters]
    begins = np.flatnonzero(within[:-1] & within[1:])
    return (characters[begins] << np.uint64(_CODE_BITS)) | characters[begins + 1], begins


def _keys(texts: Sequence[str]) -> NDArray[np.uint64]:
    """``pair << 20 | position``, each once, sorted; a line break keeps neighbouring texts apart."""
    codes, begins = _pair_codes(_characters("\n".join(texts)))
    ends = np.cumsum([len(text) + 1 for text in texts], dtype=np.int64)
    positions = np.searchsorted(ends, begins, side="right").astype(np.uint64)
    keys = np.sort((codes << np.uint64(_POSITION_BITS)) | positions)
    return keys[_first_of_each(keys)]


def _first_of_each(ordered: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which values differ from the one before; far faster here than ``np.unique``, which hashes."""
    return np.concatenate([np.ones(min(len(ordered), 1), dtype=bool), ordered[1:] != ordered[:-1]])


def _postings(
    keys: Sequence[NDArray[np.uint64]],
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """Distinct pairs, where the postings of each begin, and position and weight of each posting."""
    every = np.concatenate(keys)
    weights = np.repeat(np.array([TITLE_WEIGHT, DIGEST_WEIGHT], dtype=np.float32), [len(part) for part in keys])
    order = np.argsort(every, kind="stable")
    every, weights = every[order], weights[order]
    begins = np.flatnonzero(_first_of_each(every))
    weights = np.add.reduceat(weights, begins) if len(begins) else weights
    every = every[begins]
    pairs = every >> np.uint64(_POSITION_BITS)
    starts = np.flatnonzero(_first_of_each(pairs))
    positions = (every & np.uint64(MAX_ARTICLES - 1)).astype(np.int32)
    return pairs[starts], np.append(starts, len(every)).astype(np.int64), positions, weights
