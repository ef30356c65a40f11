"""The words of one execution as integers: posts, terms and the elements that join them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from resources.databases.pattern_facts.term_links import Carried, Node, read_carried

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class TermSpace:
    """Elements of an execution, each pair of node, post and term once.

    Attributes:
        posts: post ids by their number, sorted by code point.
        terms: element names by their number, sorted by code point.
        df: posts that carry each term anywhere, shape ``(len(terms),)``.
        nodes: the number of each node.
        places: ``node * len(posts) + post`` of each element, ascending.
        term_at: the term of each element, in the order of ``places``.
    """

    posts: list[str]
    terms: list[str]
    df: Integers
    nodes: dict[Node, int]
    places: Integers
    term_at: Integers

    @property
    def post_total(self) -> int:
        """Distinct posts with a topic element: N of the contract."""
        return len(self.posts)

    def number_of(self, term: str) -> int:
        """The number of a term; of an unknown one a number beyond all terms."""
        place = bisect_left(self.terms, term)
        return place if place < len(self.terms) and self.terms[place] == term else len(self.terms)

    def keeping(self, allowed: Callable[[str], bool], at_least: int) -> TermSpace:
        """The same space with the elements only whose term is allowed and stands in ``at_least`` posts."""
        frequent = np.flatnonzero(self.df >= at_least)
        usable = np.zeros(len(self.terms), dtype=bool)
        usable[[number for number in frequent if allowed(self.terms[number])]] = True
        kept = usable[self.term_at]
        return TermSpace(self.posts, self.terms, self.df, self.nodes, self.places[kept], self.term_at[kept])

    def of_posts(self, kept: NDArray[np.bool_]) -> TermSpace:
        """The space that the posts with ``kept[post]`` alone make; the numbers of posts and terms begin anew."""
        number = np.cumsum(kept) - 1
        node, post = np.divmod(self.places, len(self.posts))
        inside = kept[post]
        posts = [post_id for post_id, keep in zip(self.posts, kept, strict=True) if keep]
        return _space(posts, self.terms, self.nodes, node[inside], number[post[inside]], self.term_at[inside])


def read_term_space(connection: Connection, execution_id: int) -> TermSpace:
    """All topic elements of an execution; one statement."""
    return term_space(read_carried(connection, execution_id))


def term_space(carried: Sequence[Carried]) -> TermSpace:
    """The space of elements that are at hand."""
    posts = sorted(set(chain.from_iterable(group.post_ids for group in carried)))
    terms = sorted(set(chain.from_iterable(group.names for group in carried)))
    post_number = {post_id: number for number, post_id in enumerate(posts)}
    term_number = {term: number for number, term in enumerate(terms)}
    size = sum(len(group.post_ids) for group in carried)
    post = np.fromiter((post_number[p] for group in carried for p in group.post_ids), np.int64, size)
    term = np.fromiter((term_number[n] for group in carried for n in group.names), np.int64, size)
    node = np.repeat(np.arange(len(carried)), [len(group.post_ids) for group in carried])
    return _space(posts, terms, {group.node: number for number, group in enumerate(carried)}, node, post, term)


def _space(
    posts: list[str], terms: list[str], nodes: dict[Node, int], node: Integers, post: Integers, term: Integers
) -> TermSpace:
    width = max(len(terms), 1)
    pairs = np.unique(post * width + term)
    df = np.bincount(pairs % width, minlength=len(terms))[: len(terms)]
    elements = np.unique((node * max(len(posts), 1) + post) * width + term)
    return TermSpace(posts, terms, df, nodes, elements // width, elements % width)
