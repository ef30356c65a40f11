"""Which articles of a pool are one and the same, and which of them stands for the rest (S-024).

Belongs here: joining same URL, near-same title and near-same text into clusters, and the order in which an article
stands for its cluster. Does not belong here: when two titles or texts are near the same (``near_duplicates``).

Titles are compared after clickbait words are erased, and no order here looks at a title: putting such a word into a
title moves no article from one cluster to another (S-026).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import NamedTuple

from supply_assets.scoring.duplicates.near_duplicates import (
    TITLE_THRESHOLD,
    Pair,
    clusters,
    near_duplicate_texts,
    near_duplicate_titles,
    same_work,
)
from supply_assets.scoring.ranking.filters import usable
from supply_assets.scoring.records import PoolArticle, Review
from supply_assets.scoring.terms.bare_titles import bare

_LAST = datetime.max.replace(tzinfo=UTC)
_DECIDED = {Review.REJECTED: 0, Review.HELD: 1}


class Duplicate(NamedTuple):
    """The candidate that stands for a duplicate, what the two have in common, and how much (0 … 1).

    ``by`` is url, title or text; ``chain`` where other articles of the cluster connect the two, with the similarity of
    their titles.
    """

    of: int
    by: str
    similarity: float


class Clustered(NamedTuple):
    """``articles`` in standing order, and per place in it the root of its cluster, which is the first of it."""

    articles: tuple[PoolArticle, ...]
    roots: tuple[int, ...]

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
        return None if stand_in == place else _compared(self.articles[place], self.articles[stand_in])


def cluster(articles: Iterable[PoolArticle]) -> Clustered:
    """Join a pool's duplicates, the earliest published first; the order of ``articles`` plays no part (S-024)."""
    ordered = tuple(sorted(articles, key=lambda a: (*_standing(a), published(a, _LAST), a.candidate_id, a.url_hash)))
    titles = [bare(article.title) for article in ordered]
    pairs = chain(_same_url(ordered), near_duplicate_titles(titles), _same_text(ordered, titles))
    return Clustered(ordered, tuple(clusters(len(ordered), pairs)))


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


def _compared(article: PoolArticle, stand_in: PoolArticle) -> Duplicate:
    if article.url_hash == stand_in.url_hash:
        return Duplicate(stand_in.candidate_id, "url", 1.0)
    titled = same_work(bare(article.title), bare(stand_in.title))
    if titled.same:
        return Duplicate(stand_in.candidate_id, "title", round(titled.similarity, 4))
    for pair in near_duplicate_texts([article.text, stand_in.text]):
        return Duplicate(stand_in.candidate_id, "text", round(pair.similarity, 4))
    return Duplicate(stand_in.candidate_id, "chain", round(titled.similarity, 4))
