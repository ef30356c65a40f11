"""Which titles and which texts of a pool are one work, and why (S-024, WX13).

Titles are alike when few edits or a swap of halves leads from one to the other, after the words of forwarders are
taken off; alike titles are one work unless a part, episode, year or other number tells them apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cpdist

from supply_assets.normalisation.texts import fold
from supply_assets.scoring.duplicates.numbering import Numbering, conflict, numbering, reordered_numbers
from supply_assets.scoring.duplicates.text_sketches import alike_samples, sketch_of
from supply_assets.scoring.duplicates.title_blocks import candidate_pairs
from supply_assets.scoring.duplicates.title_forms import (
    SHORTEST,
    TitleForm,
    edits_allowed,
    is_rotation,
    other_word,
    ring_similarity,
)

TITLE_THRESHOLD = 0.8
RING_THRESHOLD = 0.8
RING_BLOCKS = 3
"""Three rare pairs in common make three blocks; with fewer no swap of halves is worth testing."""

TEXT_THRESHOLD = 0.6
_SPREAD = 64
_CHUNK = 500_000


class Pair(NamedTuple):
    """Places ``left`` and ``right`` of two near-duplicates in a list, and how alike they are, 0 … 1."""

    left: int
    right: int
    similarity: float


class Decision(NamedTuple):
    """Whether two titles are one work, how alike they are (0 … 1), and the reason in words for the log."""

    same: bool
    similarity: float
    reason: str


class _Work(NamedTuple):
    """All titles of one key: the key as ``whole``, its ``body`` and its numbering."""

    body: str
    numbering: Numbering
    whole: str


def same_work(left: str, right: str, *, threshold: float = TITLE_THRESHOLD) -> Decision:
    """Whether two titles name one work; symmetric, and ``similarity`` is the larger of edit and ring similarity.

    Titles without any letter are never the same; titles under five letters only when their keys are equal.
    """
    ours, theirs = _work(left), _work(right)
    if not ours.whole or not theirs.whole:
        return Decision(False, 0.0, "a title without letters equals nothing")
    if ours.whole == theirs.whole:
        return Decision(True, 1.0, "same key")
    edits = min(Levenshtein.distance(ours.body, theirs.body), Levenshtein.distance(ours.whole, theirs.whole))
    return _judged(ours, theirs, edits, threshold)


def near_duplicate_titles(titles: Sequence[str], *, threshold: float = TITLE_THRESHOLD) -> list[Pair]:
    """Pairs of positions in ``titles`` whose titles are one work, as :func:`same_work` says; sorted, each once.

    Groups of many equal titles are paired through their first, so that a thousand equal ones are not a million
    pairs; :func:`clusters` closes them. Where a title that lost a number would join two works that are told apart
    by it (第1集, the bare title, 第2集), the bare title is paired with neither. The result does not depend on order.
    About linear in the number of titles: see :mod:`supply_assets.scoring.duplicates.title_blocks`, which also says what
    is missed among more than 256 titles (more than two edits, or very many that are alike).
    """
    members = _members(titles)
    works = sorted(members)
    links = list(_alike(works, threshold))
    pairs: dict[tuple[int, int], float] = {}
    for left, right, similarity in _without_bridges(works, links):
        for one, other in _spread(members[works[left]], members[works[right]]):
            pairs[min(one, other), max(one, other)] = similarity
    for places in members.values():
        for one, other in _inside(places):
            pairs[one, other] = 1.0
    return [Pair(left, right, similarity) for (left, right), similarity in sorted(pairs.items())]


def near_duplicate_texts(texts: Sequence[str | None], *, threshold: float = TEXT_THRESHOLD) -> list[Pair]:
    """Pairs of positions whose bodies are reposts of each other, edited or not; ``None`` and blank bodies pair not.

    Similarity is that of :meth:`TextSketch.similarity`. Memory and time grow with the square of the number of texts:
    meant for a pool of at most some hundreds.
    """
    sketches = [sketch_of(text or "") for text in texts]
    found = []
    for left, right in alike_samples(sketches, threshold):
        similarity = sketches[left].similarity(sketches[right])
        if similarity >= threshold:
            found.append(Pair(left, right, similarity))
    return found


def clusters(n: int, pairs: Iterable[Pair]) -> list[int]:
    """For each of ``n`` positions the smallest position of its cluster; clusters are what ``pairs`` connect.

    Raises:
        IndexError: a pair names a position outside 0 … n − 1.
    """
    parents = list(range(n))

    def root(place: int) -> int:
        while parents[place] != place:
            parents[place] = parents[parents[place]]
            place = parents[place]
        return place

    for left, right, _ in pairs:
        if min(left, right) < 0:
            raise IndexError(f"pair ({left}, {right}) is outside 0 … {n - 1}")
        one, other = root(left), root(right)
        parents[max(one, other)] = min(one, other)
    return [root(place) for place in range(n)]


@lru_cache(maxsize=4096)
def _work(title: str) -> _Work:
    folded = fold(title)
    form = TitleForm.of(folded)
    return _Work(form.body, numbering(folded), form.whole)


def _members(titles: Sequence[str]) -> dict[_Work, list[int]]:
    """Positions by work; titles of one key are one work, with the numbering that shows most of a series."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, title in enumerate(titles):
        places[title].append(place)
    variants: dict[str, list[tuple[_Work, str]]] = defaultdict(list)
    for title in places:
        work = _work(title)
        if work.whole:
            variants[work.whole].append((work, title))
    return {
        min(work for work, _ in same)._replace(
            numbering=min((work.numbering for work, _ in same), key=Numbering.clarity)
        ): sorted(place for _, title in same for place in places[title])
        for same in variants.values()
    }


def _judged(ours: _Work, theirs: _Work, edits: int, threshold: float) -> Decision:
    longer = max(len(ours.body), len(theirs.body))
    edited = 1 - edits / longer
    if min(len(ours.body), len(theirs.body)) < SHORTEST:
        return Decision(False, edited, "too short to be alike without being equal")
    if is_rotation(ours.body, theirs.body) or is_rotation(ours.whole, theirs.whole):
        return _same_letters(ours, theirs)
    swapped = ring_similarity(ours.body, theirs.body)
    alike = max(edited, swapped)
    few = edits <= edits_allowed(longer, threshold)
    if not few and swapped < max(RING_THRESHOLD, threshold):
        return Decision(False, alike, "too different")
    difference = conflict(ours.numbering, theirs.numbering)
    if difference is None and few:
        difference = _told_apart(ours, theirs)
    if difference is not None:
        return Decision(False, alike, difference)
    return Decision(True, alike, "few edits" if few else "halves swapped")


def _same_letters(ours: _Work, theirs: _Work) -> Decision:
    if ours.body != theirs.body:
        return Decision(True, 1.0, "halves swapped")
    difference = conflict(ours.numbering, theirs.numbering)
    return Decision(difference is None, 1.0, difference or "same but for a forwarder's words")


def _told_apart(ours: _Work, theirs: _Work) -> str | None:
    if reordered_numbers(ours.numbering, theirs.numbering):
        return "the same numbers in another order"
    word = other_word(ours.body, theirs.body)
    return f"another word: {word}" if word else None


def _alike(works: Sequence[_Work], threshold: float) -> Iterator[Pair]:
    bodies, wholes = [work.body for work in works], [work.whole for work in works]
    lengths = np.array([len(body) for body in bodies], dtype=np.int64)
    classes = {kind: number for number, kind in enumerate({work.numbering for work in works})}
    found = candidate_pairs(bodies, [classes[work.numbering] for work in works])
    shorter = np.minimum(lengths[found.left], lengths[found.right])
    longer = np.maximum(lengths[found.left], lengths[found.right])
    allowed = np.array([edits_allowed(length, threshold) for length in range(int(lengths.max(initial=0)) + 1)])
    worth = (shorter >= SHORTEST) & (longer - shorter <= np.maximum(allowed[longer], (1 - RING_THRESHOLD) * longer))
    left, right, shared, most = found.left[worth], found.right[worth], found.shared[worth], allowed[longer[worth]]
    for start in range(0, len(left), _CHUNK):
        chunk = slice(start, start + _CHUNK)
        ours, theirs = left[chunk].tolist(), right[chunk].tolist()
        edits = np.minimum(_edits(bodies, ours, theirs), _edits(wholes, ours, theirs))
        hopeful = (edits <= most[chunk]) | (shared[chunk] >= RING_BLOCKS)
        for place in np.flatnonzero(hopeful).tolist():
            decision = _judged(works[ours[place]], works[theirs[place]], int(edits[place]), threshold)
            if decision.same:
                yield Pair(ours[place], theirs[place], decision.similarity)


def _edits(texts: Sequence[str], ours: Sequence[int], theirs: Sequence[int]) -> NDArray[np.int32]:
    one, other = [texts[place] for place in ours], [texts[place] for place in theirs]
    edits: NDArray[np.int32] = cpdist(one, other, scorer=Levenshtein.distance, dtype=np.int32)
    return edits


def _without_bridges(works: Sequence[_Work], links: Sequence[Pair]) -> Iterator[Pair]:
    """The links, less those between different numberings in clusters that hold more than two numberings."""
    representatives = clusters(len(works), links)
    numberings: dict[int, set[Numbering]] = defaultdict(set)
    for work, representative in zip(works, representatives, strict=True):
        numberings[representative].add(work.numbering)
    for link in links:
        alike = works[link.left].numbering == works[link.right].numbering
        if alike or len(numberings[representatives[link.left]]) <= 2:
            yield link


def _spread(ours: Sequence[int], theirs: Sequence[int]) -> Iterator[tuple[int, int]]:
    if len(ours) * len(theirs) <= _SPREAD:
        yield from product(ours, theirs)
    else:
        yield ours[0], theirs[0]


def _inside(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    if len(places) ** 2 <= _SPREAD:
        yield from combinations(places, 2)
    else:
        yield from ((places[0], place) for place in places[1:])
