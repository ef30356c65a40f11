"""The body of an article: the corpus's own text, or paragraphs that follow from title and subjects alone.

Belongs here: which blocks a body has. Does not belong here: HTML around it (``pages``), phrases
(``phrases``).
"""

from __future__ import annotations

import random
import re
from typing import NamedTuple

from sandbox.platform.corpus.articles import Article, Tone, digest_of
from sandbox.platform.corpus.phrases import PHRASES, draw_circumstances

_PIECES = re.compile(r"[^\W_]{2,}")
_TITLE_PIECE = 10


class Block(NamedTuple):
    """A part of a body: ``tag`` is ``p``, ``h2``, ``img`` or ``video``; ``text`` the words, or the picture's name."""

    tag: str
    text: str


def body_of(article: Article, origin: Article | None) -> list[Block]:
    """The blocks of ``article``; a repost has the body of ``origin`` and a line that says so."""
    if article.text:
        return _known(article.text)
    written_by = origin or article
    source = random.Random(digest_of(f"body {written_by.biz} {written_by.mid} {written_by.idx} {written_by.title}"))
    blocks = _written(written_by, source)
    if origin is not None:
        blocks.append(Block("p", f"本文转自“{origin.author}”，版权归原作者所有。"))
    return blocks


def _known(text: str) -> list[Block]:
    lines = (line.strip().replace("**", "") for line in text.splitlines())
    return [Block("h2", line.lstrip("# ")) if line.startswith("#") else Block("p", line) for line in lines if line]


def _written(article: Article, source: random.Random) -> list[Block]:
    first, second, topic = article.subjects or _subjects_of(article.title)
    gaps = {
        "a": first,
        "b": second,
        "topic": topic,
        **draw_circumstances(source),
    }
    lead = [Block("p", f"{article.title}。{article.digest or ''}")]
    if article.tone in (Tone.CLICKBAIT, Tone.MARKETING):
        phrases = PHRASES["clickbait_paragraphs"] if article.tone is Tone.CLICKBAIT else PHRASES["marketing_paragraphs"]
        return [*lead, *(Block("p", phrase.format_map(gaps)) for phrase in phrases), *_pictures(article, source, 1)]
    if article.tone is Tone.QUOTING:
        lead.append(Block("p", "最近有读者说，点开收藏的文章只看到“该内容已被发布者删除”或“此内容因违规无法查看”。"))
    return [*lead, *_sections(gaps, source, article)]


def _sections(gaps: dict[str, str], source: random.Random, article: Article) -> list[Block]:
    """Three to a dozen paragraphs, with headings, pictures, a film or a reference now and then."""
    sentences = [phrase.format_map(gaps) for phrase in source.sample(PHRASES["sentences"], source.randint(8, 32))]
    paragraphs = ["".join(sentences[at : at + 3]) for at in range(0, len(sentences), 3)]
    headed = source.random() < 0.6
    blocks: list[Block] = []
    for number, paragraph in enumerate(paragraphs):
        if headed and number % 3 == 0:
            blocks.append(Block("h2", PHRASES["headings"][number // 3 % len(PHRASES["headings"])]))
        blocks.append(Block("p", paragraph))
        blocks.extend(_pictures(article, source, number + 2) if source.random() < 0.35 else [])
    if source.random() < 0.05:
        blocks.append(Block("video", digest_of(f"film {article.mid}", 11)))
    if source.random() < 0.3:
        blocks.append(Block("p", source.choice(PHRASES["references"]).format_map(gaps)))
    return blocks


def _pictures(article: Article, source: random.Random, number: int) -> list[Block]:
    return [Block("img", digest_of(f"picture {article.biz} {article.mid} {number} {source.random()}", 40))]


def _subjects_of(title: str) -> tuple[str, str, str]:
    """Two pieces of a title and the last one as topic; a title without letters is called 这件事."""
    pieces = [piece[:_TITLE_PIECE] for piece in _PIECES.findall(title)] or ["这件事"]
    return pieces[0], pieces[min(1, len(pieces) - 1)], pieces[-1]
