"""A corpus about what the small facts speak of: cats that soothe, and prices that fall; served over real HTTP."""

from __future__ import annotations

import base64
import random
from collections.abc import Iterator
from contextlib import contextmanager

from sandbox.platform.app import build_app
from sandbox.platform.corpus.articles import Account, Article, Counts, ListedCorpus, account_id_of, long_link
from sandbox.platform.corpus.links import tracked_link
from sandbox.platform.corpus.phrases import PHRASES
from sandbox.platform.serving.serve import serve

ACCOUNTS = 8
ARTICLES = 26
MARKED_UP = "[/转载] [bold]猫[/bold] 让人治愈的三个瞬间 :cat:"
"""A title that a terminal must show as it is."""
NEWEST = 1_780_200_000
DAY_S = 86_400


def cat_corpus() -> ListedCorpus:
    """Articles in other words each, of a few accounts, with long links that carry what a search adds to them."""
    accounts = [_account(number) for number in range(ACCOUNTS)]
    return ListedCorpus([_article(number, accounts[number % ACCOUNTS]) for number in range(ARTICLES)], accounts)


@contextmanager
def cat_platform() -> Iterator[str]:
    """The corpus served on loopback; the address."""
    with serve(build_app(cat_corpus())) as running:
        yield running.url


def _account(number: int) -> Account:
    biz = base64.b64encode(f"39000000{number:02d}".encode()).decode()
    return Account(account_id_of(biz), biz, f"{PHRASES['where'][number]}动物课{number}", "每天一篇动物。", 1, "动物")


def _article(number: int, account: Account) -> Article:
    mid, sn = str(2_650_000_000 + number), f"{number:032x}"
    published = NEWEST - number * 3 * DAY_S
    gaps = {
        "a": "猫",
        "b": "降价50%" if number % 5 == 4 else "治愈",
        "topic": "动物",
        "who": PHRASES["who"][number * 3 % len(PHRASES["who"])],
        "when": PHRASES["when"][number * 7 % len(PHRASES["when"])],
        "where": PHRASES["where"][number * 9 % len(PHRASES["where"])],
        "n": str(number % 7 + 2),
    }
    title = MARKED_UP if number == 0 else PHRASES["titles"][number % len(PHRASES["titles"])].format_map(gaps)
    return Article(
        title=title,
        digest=PHRASES["digests"][number % len(PHRASES["digests"])].format_map(gaps),
        biz=account.biz,
        mid=mid,
        idx="1",
        sn=sn,
        published=published,
        shown_time=published,
        link=tracked_link(random.Random(number), account.biz, mid, "1", sn),
        page_link=long_link(account.biz, mid, "1", sn),
        counts=Counts(view=900 + 731 * number % 5_000, like=20 + number),
        author=account.name,
        subjects=(gaps["a"], gaps["b"], gaps["topic"]),
    )
