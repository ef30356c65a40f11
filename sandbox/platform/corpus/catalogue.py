"""Finds things in a corpus: articles by search and by link, accounts by id or name, the history of an account.

Belongs here: look-ups that every dialect shares. Does not belong here: wire shapes, faults.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sandbox.platform.corpus.articles import Account, Article, Corpus
from sandbox.platform.corpus.index import Positions, SearchIndex
from sandbox.platform.corpus.links import LinkKey, read_link, repeated_link


class Catalogue:
    """A corpus with its index; built once, read only."""

    def __init__(self, corpus: Corpus) -> None:
        self.articles: Sequence[Article] = corpus.articles
        self.accounts: Sequence[Account] = corpus.accounts
        self._by_biz = {account.biz: account for account in corpus.accounts}
        self._by_id = {account.account_id: account for account in corpus.accounts}
        self._by_name = {account.name: account for account in reversed(corpus.accounts)}
        self._histories = _histories(corpus.articles)
        self._by_link = _links(corpus.articles)
        self._index = SearchIndex(
            [article.title for article in corpus.articles],
            [article.digest or "" for article in corpus.articles],
            [article.published for article in corpus.articles],
        )

    def search(self, query: str) -> Positions:
        """Positions of matching articles, best first."""
        return self._index.search(query)

    def article_of_link(self, key: LinkKey) -> int | None:
        """Position of the article that a link means."""
        return self._by_link.get(key)

    def account(self, *, account_id: str = "", biz: str = "", name: str = "") -> Account | None:
        """The account of the first of the three that is given."""
        if account_id:
            return self._by_id.get(account_id)
        return self._by_biz.get(biz) if biz else self._by_name.get(name)

    def accounts_named(self, text: str) -> list[Account]:
        """Accounts whose name holds ``text``, the shortest name first."""
        found = [account for account in self.accounts if text and text in account.name]
        return sorted(found, key=lambda account: (len(account.name), account.biz))

    def account_of(self, article: Article) -> Account:
        """The account that published ``article``."""
        return self._by_biz[article.biz]

    def listed(
        self, entries: Iterable[tuple[int, bool]], *, lasting: bool = False
    ) -> Iterator[tuple[Article, Account]]:
        """Articles and accounts of a page's positions; a repetition has another form of the lasting link."""
        for position, repeated in entries:
            article = self.articles[position]
            link = article.page_link if lasting else article.link
            shown = article._replace(link=repeated_link(article.page_link) if repeated else link)
            yield shown, self.account_of(article)

    def history(self, biz: str) -> Sequence[int]:
        """Positions of an account's articles, newest first."""
        return self._histories.get(biz, ())


def _histories(articles: Sequence[Article]) -> dict[str, list[int]]:
    histories: dict[str, list[int]] = {}
    for position, article in enumerate(articles):
        histories.setdefault(article.biz, []).append(position)
    for positions in histories.values():
        positions.sort(key=lambda position: (-articles[position].published, position))
    return histories


def _links(articles: Sequence[Article]) -> dict[LinkKey, int]:
    """Every key by which an article is known; the first article keeps a key that two share."""
    positions: dict[LinkKey, int] = {}
    for position, article in enumerate(articles):
        if article.mid:
            positions.setdefault(LinkKey(article=(article.biz.rstrip("="), article.mid, article.idx)), position)
        for link in {article.link, article.page_link}:
            if not (article.mid and "__biz" in link):
                positions.setdefault(read_link(link), position)
    positions.pop(LinkKey(), None)
    return positions
