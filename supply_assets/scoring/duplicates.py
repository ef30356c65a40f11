"""Which articles of a pool are one and the same, and which of them stands for the rest (S-024).

Belongs here: joining same URL, near-same title and near-same text into clusters, and the order in which an article
stands for its cluster. Does not belong here: when two titles or texts are near the same (``near_duplicates``).

Titles are compared after clickbait words are erased, and no order here looks at a title: putting such a word into a
title moves no article from one cluster to another (S-026).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from supply_assets.scoring.filters import usable
from supply_assets.scoring.lexicon import CLICKBAIT, erased
from supply_assets.scoring.near_duplicates import (
    TITLE_THRESHOLD,
    Pair,
    clusters,
    near_duplicate_texts,
    near_duplicate_titles,
    same_work,
)
from supply_assets.scoring.records import PoolArticle, Review

_LAST = datetime.max.replace(tzinfo=UTC)
_DECIDED = {Review.REJECTED: 0, Review.HELD: 1}


class Duplicate(NamedTuple):
    """The candidate that stands for a duplicate, and the duplicate's nearest neighbour in the cluster.

    ``by`` is what the two have in common (url, title, text), ``similarity`` 0 … 1; in a chain of reposts the
    neighbour need not be the one that stands for it.
    """

    of: int
    neighbour: int
    by: str
    similarity: float


class _Link(NamedTuple):
    other: int
    by: str
    similarity: float


class Clustered(NamedTuple):
    """``articles`` in standing order; per place in it the root of its cluster and its strongest link."""

    articles: tuple[PoolArticle, ...]
    roots: tuple[int, ...]
    links: Mapping[int, _Link]

    def representatives(self) -> list[PoolArticle]:
        """The first article of each cluster, whether it passes the filters or not."""
        return [article for place, article in enumerate(self.articles) if self.roots[place] == place]

    def stand_ins(self, passes: Sequence[bool]) -> dict[int, int]:
        """Root → place of the article that stands for the cluster in the result.

        A copy that a person rejected or held stands for all copies, so that no repost gets round the decision; then
        come those that can be fetched, accepted ones first, then those that pass the filters, then the earliest.
        """
        chosen: dict[int, int] = {}
        ranks = [(*_standing(article), not passes[place], place) for place, article in enumerate(self.articles)]
        for place, root in enumerate(self.roots):
            if root not in chosen or ranks[place] < ranks[chosen[root]]:
                chosen[root] = place
        return chosen

    def duplicate(self, place: int, stand_ins: Mapping[int, int]) -> Duplicate | None:
        """What the article at ``place`` is a duplicate of; ``None`` where it stands for itself."""
        stand_in = stand_ins[self.roots[place]]
        if stand_in == place:
            return None
        link = self.links[place]
        of, neighbour = self.articles[stand_in], self.articles[link.other]
        return Duplicate(of.candidate_id, neighbour.candidate_id, link.by, round(link.similarity, 4))


def cluster(articles: Iterable[PoolArticle]) -> Clustered:
    """Join a pool's duplicates, the earliest published first; the order of ``articles`` plays no part (S-024)."""
    ordered = tuple(sorted(articles, key=lambda a: (*_standing(a), published(a, _LAST), a.candidate_id, a.url_hash)))
    titles = [erased(article.title, CLICKBAIT) for article in ordered]
    by_kind = {"url": list(_same_url(ordered)), "title": near_duplicate_titles(titles)}
    by_kind["text"] = list(_same_text(ordered, titles))
    roots = clusters(len(ordered), [pair for pairs in by_kind.values() for pair in pairs])
    return Clustered(ordered, tuple(roots), _links(by_kind))


def published(article: PoolArticle, unknown: datetime) -> datetime:
    """The publish time, aware (UTC where its zone is not said); ``unknown`` where there is none."""
    time = article.publish_time
    if time is None:
        return unknown
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time


def _standing(article: PoolArticle) -> tuple[int, bool, bool]:
    return _DECIDED.get(article.review, len(_DECIDED)), not usable(article), article.review is not Review.ACCEPTED


def _same_url(articles: Sequence[PoolArticle]) -> Iterator[Pair]:
    first: dict[str, int] = {}
    for place, article in enumerate(articles):
        seen = first.setdefault(article.url_hash, place)
        if seen != place:
            yield Pair(seen, place, 1.0)


def _same_text(articles: Sequence[PoolArticle], titles: Sequence[str]) -> Iterator[Pair]:
    """Near-same texts, less those whose titles are alike but for a number: parts of a series stay apart."""
    places = [place for place, article in enumerate(articles) if article.text]
    for pair in near_duplicate_texts([articles[place].text for place in places]):
        left, right = places[pair.left], places[pair.right]
        titled = same_work(titles[left], titles[right])
        if titled.same or titled.similarity < TITLE_THRESHOLD:
            yield Pair(left, right, pair.similarity)


def _links(by_kind: Mapping[str, Sequence[Pair]]) -> dict[int, _Link]:
    """The strongest link of each place; among equals url before title before text, then the earlier neighbour."""
    best: dict[int, _Link] = {}
    for by, pairs in by_kind.items():
        for left, right, similarity in pairs:
            for place, other in ((left, right), (right, left)):
                if place not in best or similarity > best[place].similarity:
                    best[place] = _Link(other, by, similarity)
    return best
