"""A corpus that this project makes up: the topics of the sample facts, with everything that a real platform mixes in.

Belongs here: which articles there are and what is odd about each. Does not belong here: the phrases
(``phrases``), bodies (``bodies``), the forms of links (``links``).
"""

from __future__ import annotations

import base64
import random
from dataclasses import dataclass, field
from typing import NamedTuple

from resources.foundation.errors import UsageError
from sandbox.platform.corpus.articles import (
    CAP_SHOWN,
    Account,
    Article,
    ArticleState,
    Counts,
    ListedCorpus,
    RawCount,
    Tone,
    account_id_of,
    digest_of,
    long_link,
    shanghai_time,
)
from sandbox.platform.corpus.index import MAX_ARTICLES
from sandbox.platform.corpus.links import short_link, temporary_link, tracked_link
from sandbox.platform.corpus.phrases import PHRASES, draw_circumstances
from sandbox.sample.vocabulary import FORMS, INTENTS, STORYLINES, Storyline

LATEST = 1_780_200_000
"""The newest article is of 2026-05-31; the corpus does not move with the machine's clock."""
SPAN_S = 3 * 365 * 86_400
_MAX_ACCOUNTS = 100_000
_KINDS = {
    "plain": 54,
    "named": 8,
    "intent": 14,
    "clickbait": 6,
    "marketing": 5,
    "repost": 6,
    "series": 6,
    "quoting": 1,
}
_WORDING = {
    "named": (PHRASES["named_titles"], PHRASES["digests"], Tone.PLAIN),
    "intent": (PHRASES["intent_titles"], PHRASES["digests"], Tone.PLAIN),
    "series": (PHRASES["series_titles"], PHRASES["digests"], Tone.PLAIN),
    "clickbait": (PHRASES["clickbait_titles"], PHRASES["clickbait_digests"], Tone.CLICKBAIT),
    "marketing": (PHRASES["marketing_titles"], PHRASES["marketing_digests"], Tone.MARKETING),
    "quoting": (PHRASES["quoting_titles"], PHRASES["digests"], Tone.QUOTING),
}
"""Titles, digests and tone of a kind; the others are written plainly."""
_STATES = {
    ArticleState.PUBLISHED: 955,
    ArticleState.DELETED: 25,
    ArticleState.VIOLATION: 15,
    ArticleState.UNAVAILABLE: 5,
}


def generate(articles: int = 20_000, accounts: int = 200, seed: int = 0) -> ListedCorpus:
    """``articles`` articles of ``accounts`` accounts; the same arguments give the same corpus on every machine.

    Raises:
        UsageError: there are no articles or accounts asked for, or more than the index can name.
    """
    if not 1 <= articles <= MAX_ARTICLES:
        raise UsageError(f"articles is {articles}", f"take 1 … {MAX_ARTICLES}")
    if not 1 <= accounts <= _MAX_ACCOUNTS:
        raise UsageError(f"accounts is {accounts}", f"take 1 … {_MAX_ACCOUNTS}")
    source = random.Random(seed)
    listed = [_account(source, number, seed) for number in range(accounts)]
    writer = _ArticleWriter(source, listed)
    for number in range(articles):
        writer.add(number)
    return ListedCorpus(writer.articles, listed)


def _account(source: random.Random, number: int, seed: int) -> Account:
    biz = base64.b64encode(str(3_000_000_000 + seed * _MAX_ACCOUNTS + number).encode()).decode()
    topic = _topic(STORYLINES[number % len(STORYLINES)])
    name = source.choice(PHRASES["account_names"]).format(where=source.choice(PHRASES["where"]), topic=topic)
    return Account(
        account_id=account_id_of(biz),
        biz=biz,
        name=f"{name}{number}",
        intro=f"每天一篇{topic}，写给爸妈看。",
        verified=int(source.random() < 0.7),
        category=topic,
    )


def _topic(story: Storyline) -> str:
    return story.path.rsplit("/", 1)[1]


class _Draft(NamedTuple):
    title: str
    digest: str | None
    tone: Tone
    subjects: tuple[str, str, str] | None
    origin: int | None = None


@dataclass
class _ArticleWriter:
    """Prints articles one after another; a repost looks back at what was printed."""

    source: random.Random
    accounts: list[Account]
    articles: list[Article] = field(default_factory=list)
    stories: list[Storyline] = field(default_factory=list)

    def add(self, number: int) -> None:
        kind = self.source.choices(list(_KINDS), weights=list(_KINDS.values()))[0]
        at = self.source.randrange(len(self.accounts))
        # An account keeps to its storyline most of the time.
        by_account = self.source.random() < 0.7
        story = STORYLINES[at % len(STORYLINES)] if by_account else self.source.choice(STORYLINES)
        origin = self._origin(story) if kind == "repost" else None
        draft = self._reposted(origin) if origin is not None else self._written(kind, story, number)
        self.stories.append(story)
        self.articles.append(self._article(number, self.accounts[at], draft))

    def _origin(self, story: Storyline) -> int | None:
        """A recent article of the same storyline, if there is one; never itself a repost."""
        recent = range(max(0, len(self.articles) - 400), len(self.articles))
        fitting = [at for at in recent if self.stories[at] is story and self.articles[at].source is None]
        return self.source.choice(fitting) if fitting else None

    def _reposted(self, origin: int) -> _Draft:
        article = self.articles[origin]
        title = article.title
        if self.source.random() < 0.5:
            title = title.replace("，", " ").replace("：", "｜").rstrip("！")
        title = f"{self.source.choice(PHRASES['repost_marks'])}{title}"
        return _Draft(title, article.digest, article.tone, article.subjects, origin)

    def _written(self, kind: str, story: Storyline, number: int) -> _Draft:
        gaps = self._gaps(story, number)
        subjects = (gaps["a"], gaps["b"], gaps["topic"])
        patterns, digests, tone = _WORDING.get(kind, (PHRASES["titles"], PHRASES["digests"], Tone.PLAIN))
        title = self.source.choice(patterns).format_map(gaps)
        digest = self.source.choice(digests).format_map(gaps) if self.source.random() < 0.8 else None
        return _Draft(title, digest, tone, subjects)

    def _gaps(self, story: Storyline, number: int) -> dict[str, str]:
        source = self.source
        first, second = source.sample((*story.core, *story.core, *story.optional), 2)
        return {
            "a": first,
            "b": second if second != first else source.choice(story.optional),
            "topic": story.path.split("/")[source.choice((2, 3))],
            **draw_circumstances(source),
            "part": str(number % 30 + 1),
            "story": source.choice(story.titles).format(source.choice(story.optional)),
            "intent": source.choice(source.choice(INTENTS)[1]),
            "form": source.choice(source.choice(FORMS)[1]),
            "kind": source.choice(source.choice((*INTENTS, *FORMS))[0].split("/")[2:]),
        }

    def _article(self, number: int, account: Account, draft: _Draft) -> Article:
        source = self.source
        mid, idx = str(2_247_480_000 + number), str(source.choices((1, 2, 3), weights=(6, 3, 1))[0])
        sn = digest_of(f"sn {account.biz} {mid}")
        published = LATEST - source.randrange(SPAN_S)
        state = source.choices(list(_STATES), weights=list(_STATES.values()))[0]
        page_link = long_link(account.biz, mid, idx, sn)
        link, form = tracked_link(source, account.biz, mid, idx, sn), source.random()
        if form < 0.12:
            link = page_link = short_link(mid + account.biz)
        elif form < 0.16:
            link = temporary_link(mid + account.biz, published + 3_600)
        return Article(
            title=draft.title,
            digest=draft.digest,
            biz=account.biz,
            mid=mid,
            idx=idx,
            sn=sn,
            published=published,
            shown_time=_shown_time(source, published),
            link=link,
            page_link=page_link,
            counts=_counts(source),
            state=state,
            flagged=state is ArticleState.DELETED and source.random() < 0.5,
            author=account.name,
            source=draft.origin,
            expired=source.random() < 0.3,
            tone=draft.tone,
            subjects=draft.subjects,
        )


def _shown_time(source: random.Random, published: int) -> int | str:
    chance = source.random()
    if chance < 0.6:
        return published
    if chance < 0.7:
        return published * 1_000
    if chance < 0.8:
        return str(published)
    return shanghai_time(published).strftime("%Y-%m-%d %H:%M" if chance < 0.95 else "%Y-%m-%d")


def _counts(source: random.Random) -> Counts:
    """Views as they are shown: mostly numbers, capped at ``10万+``, sometimes nothing, seldom zero."""
    if source.random() < 0.08:
        return Counts()
    views = int(source.lognormvariate(8.2, 1.7)) if source.random() > 0.01 else 0
    likes = int(views * source.uniform(0.002, 0.02))
    shown: RawCount = views
    if views >= CAP_SHOWN:
        shown = source.choice(("10万+", "100000+", CAP_SHOWN + 1))
    elif views >= 10_000 and source.random() < 0.2:
        shown = f"{views / 10_000:.1f}万"
    return Counts(
        view=shown,
        like=likes,
        comment=likes // 5 if source.random() < 0.7 else None,
        favorite=likes // 2,
        share=likes // 3,
    )
