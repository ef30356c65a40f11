"""How much an article is about what a demand asks for (S-023): a function of the two, never of the pool.

Belongs here: the formula. A query is taken apart into units, each with a weight:

- whole terms: telling, which is ``tokens.weight_of`` ÷ that of the query's most telling term, at most 1; they are
  found as substrings, not only as tokens;
- the words inside a term: ``WORD`` × telling; not those of a scene (怎么办), which is no subject;
- its rare characters (``tokens.rarity_of`` at least ``RARE``): ``CHARACTER``, so that 癌症 also finds 胃癌.

Units of an expansion term weigh ``EXPANSION`` of that; more than ``FULL_EXPANSIONS`` expansion terms share the weight
of so many, so that a long list never outweighs the query. A unit found several ways counts by its highest weight.

An article is read in three fields: title (``TITLE`` an occurrence, after clickbait words are erased, so that one more
of them never raises the score), digest (``DIGEST``), text where it is known (``TEXT`` for each of the first
``TEXT_MOST``). With ``f`` the weighted occurrences of a unit, it gives ``weight × f ÷ (f + SATURATION)`` as BM25 does
without its length term; ``strength`` is the sum over all units and ``score = 100 × strength ÷ (strength + HALF)``.
A missing digest or text counts as not found there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from supply_assets.normalisation.texts import fold
from supply_assets.scoring.parts import Part, clamp
from supply_assets.scoring.records import PoolArticle, Wanted
from supply_assets.scoring.terms.bare_titles import bare
from supply_assets.scoring.terms.lexicon import SCENES, standing_alone
from supply_assets.scoring.terms.tokens import rarity_of, weight_of, words_of

WORD = 0.5
CHARACTER = 0.1
RARE = 8.5
EXPANSION = 0.9
FULL_EXPANSIONS = 2
TITLE, DIGEST, TEXT, TEXT_MOST = 1.0, 0.4, 0.1, 5
SATURATION = 1.0
HALF = 0.5


class Unit(NamedTuple):
    """A piece of a query; ``pattern`` is set where it has to stand alone as a word (``ai``, not ``email``)."""

    text: str
    weight: float
    pattern: re.Pattern[str] | None


class Query(NamedTuple):
    """A demand's units, and for each of its own terms the texts that mean it is covered."""

    units: tuple[Unit, ...]
    terms: tuple[frozenset[str], ...]


def relevance(wanted: Wanted, article: PoolArticle) -> Part:
    """Score of 0 … 100 and what was found where: ``found`` is unit → [in title, in digest, in text] (S-023, S-026).

    ``covered`` is the share of the demand's own terms that the article holds whole or by one of their words.
    """
    query = query_of(wanted.terms, wanted.expansion)
    fields = (bare(article.title), fold(article.digest), fold(article.text))
    whole = "\n".join(fields)
    found: dict[str, list[int]] = {}
    strength = 0.0
    for unit in query.units:
        if unit.text not in whole:
            continue
        counts = [_occurrences(field, unit) for field in fields]
        if any(counts):
            found[unit.text] = counts
            frequency = TITLE * counts[0] + DIGEST * counts[1] + TEXT * min(counts[2], TEXT_MOST)
            strength += unit.weight * frequency / (frequency + SATURATION)
    covered = sum(any(text in found for text in texts) for texts in query.terms) / max(1, len(query.terms))
    inputs = {"strength": round(strength, 4), "covered": round(covered, 4), "found": found}
    return Part(clamp(100 * strength / (strength + HALF)), inputs)


@lru_cache(maxsize=256)
def query_of(terms: tuple[str, ...], expansion: tuple[str, ...]) -> Query:
    """The units of a demand in a fixed order; a term with blanks in it is several terms, a blank one is none."""
    own = _distinct(terms)
    wider = [term for term in _distinct(expansion) if term not in own]
    best = max((weight_of(term) for term in own), default=1.0)
    weights: dict[str, float] = {}
    for listed, share in ((own, 1.0), (wider, EXPANSION * min(1.0, FULL_EXPANSIONS / max(1, len(wider))))):
        for term in listed:
            for text, weight in _pieces(term, best):
                weights[text] = max(weights.get(text, 0.0), weight * share)
    units = tuple(Unit(text, weight, standing_alone(text)) for text, weight in weights.items())
    return Query(units, tuple(frozenset((term, *words_of(term))) for term in own))


def _distinct(terms: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(piece for term in terms for piece in fold(term).split()))


def _pieces(term: str, best: float) -> Iterator[tuple[str, float]]:
    yield term, min(1.0, weight_of(term) / best)
    for word in words_of(term):
        if word != term and not any(word in scene for scene in SCENES):
            yield word, WORD * min(1.0, weight_of(word) / best)
    yield from ((character, CHARACTER) for character in dict.fromkeys(term) if rarity_of(character) >= RARE)


def _occurrences(field: str, unit: Unit) -> int:
    if unit.text not in field:
        return 0
    return len(unit.pattern.findall(field)) if unit.pattern else field.count(unit.text)
