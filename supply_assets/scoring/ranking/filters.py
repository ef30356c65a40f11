"""What keeps an article out of the result whatever its total is (S-023, S-030).

Belongs here: the filters that look at one article. Does not belong here: what compares articles (``duplicates``, the
account quota of ``rank``). Risk and relevance are read from the title after clickbait words are erased: such a word
cannot hide another (S-026).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from supply_assets.normalisation.texts import fold
from supply_assets.scoring.features.risk import risk
from supply_assets.scoring.parts import Part
from supply_assets.scoring.records import Constraints, PoolArticle, Review, Wanted
from supply_assets.scoring.terms.bare_titles import bare
from supply_assets.scoring.terms.lexicon import Clickbait, clickbait, found

LEAST_RELEVANCE = 33.0
LEAST_QUALITY = 30.0
MOST_RISK = 60.0

UNAVAILABLE, UNRESOLVED_LINK = "unavailable", "unresolved_link"
MANUAL_REJECT, MANUAL_HOLD = "manual_reject", "manual_hold"
BLOCKED_ACCOUNT, BANNED_WORD = "blocked_account", "banned_word"
IRRELEVANT, RISK, MARKETING, CLICKBAIT_TITLE = "irrelevant", "risk", "marketing", "clickbait"
LOW_QUALITY, BELOW_MIN_VIEWS = "low_quality", "below_min_views"
DUPLICATE, ACCOUNT_QUOTA = "duplicate", "account_quota"


class Hit(NamedTuple):
    """A filter that an article does not pass, and the words or figures that show it."""

    reason: str
    evidence: list[str]


def usable(article: PoolArticle) -> bool:
    """Whether the article can be fetched at all: it is there and its link lasts (S-011, WX4)."""
    return article.unavailable is None and article.link_resolved


def hits(wanted: Wanted, article: PoolArticle, parts: Mapping[str, Part]) -> list[Hit]:
    """Every filter that ``article`` does not pass, the gravest first; empty for one that passes.

    Of its ``parts`` by name, relevance and quality are looked at. An article that a person accepted is held back by
    nothing but being unusable (S-030).
    """
    unusable = list(_unusable(article))
    if article.review is Review.ACCEPTED:
        return unusable
    return [*unusable, *_decided(article, wanted.constraints), *_weighed(wanted, article, parts)]


def _unusable(article: PoolArticle) -> Iterator[Hit]:
    if article.unavailable is not None:
        yield Hit(f"{UNAVAILABLE}:{article.unavailable}", [article.unavailable])
    if not article.link_resolved:
        yield Hit(UNRESOLVED_LINK, [])


def _decided(article: PoolArticle, constraints: Constraints) -> Iterator[Hit]:
    if article.review is Review.REJECTED:
        yield Hit(MANUAL_REJECT, [])
    if article.review is Review.HELD:
        yield Hit(MANUAL_HOLD, [])
    blocked = _accounts(constraints.blocked_accounts)
    named = [name for name in (article.account_key, *article.account_names) if name and fold(name) in blocked]
    if named:
        yield Hit(BLOCKED_ACCOUNT, named)


def _weighed(wanted: Wanted, article: PoolArticle, parts: Mapping[str, Part]) -> Iterator[Hit]:
    relevance, quality = parts["relevance"].score, parts["quality"].score
    title = bare(article.title)
    offers = dict(reason.split(": ", 1) for reason in risk(title, article.digest).reasons)
    unwanted = wanted.constraints.banned_words
    whole = f"{article.title}\n{title}\n{article.digest}\n{article.text or ''}"
    asked = found(whole, unwanted) if unwanted else []
    banned = [*asked, *([offers["banned"]] if "banned" in offers else [])]
    if banned:
        yield Hit(BANNED_WORD, banned)
    if relevance < LEAST_RELEVANCE:
        yield Hit(IRRELEVANT, [f"relevance {relevance:.2f} < {LEAST_RELEVANCE:g}"])
    if article.content is not None and article.content.risk_score >= MOST_RISK:
        yield Hit(RISK, list(article.content.risk_reasons))
    if "marketing" in offers:
        yield Hit(MARKETING, [offers["marketing"]])
    grade, words = clickbait(article.title)
    if grade is Clickbait.STRONG:
        yield Hit(CLICKBAIT_TITLE, words)
    if quality < LEAST_QUALITY:
        yield Hit(LOW_QUALITY, [f"quality {quality:.2f} < {LEAST_QUALITY:g}"])
    least, views = wanted.constraints.min_view_count, article.views
    if least is not None and views is not None and not views.capped and views.value < least:
        yield Hit(BELOW_MIN_VIEWS, [f"views {views.value} < {least}"])


@lru_cache(maxsize=256)
def _accounts(blocked: tuple[str, ...]) -> frozenset[str]:
    return frozenset(folded for account in blocked if (folded := fold(account)))
