"""Chinese words of a query and how telling they are, from the background dictionary that jieba ships.

Belongs here: cutting a term into words, the weight of a word, the rarity of a character. The background never depends
on a pool, so one more article changes no weight (S-026). The dictionary is read on first use, once a process, takes
about a second, and leaves no cache file behind.
"""

from __future__ import annotations

import logging
import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.resources import files
from threading import RLock
from typing import Any, Protocol, TypeVar, cast

Loaded = TypeVar("Loaded")

TELLING_IDF = 9.0
"""Inverse document frequency (natural logarithm) from which a word counts in full: about one document in 8,000."""


class _Cutter(Protocol):
    """The part of ``jieba.Tokenizer`` that is used."""

    FREQ: dict[str, int]

    def lcut_for_search(self, sentence: str) -> list[str]: ...


_loading = RLock()


def _loaded_once(load: Callable[[], Loaded]) -> Callable[[], Loaded]:
    """Threads that ask at once wait for one load: ``lru_cache`` alone would let each of them read the dictionary."""
    remembered = lru_cache(maxsize=1)(load)

    def loaded() -> Loaded:
        with _loading:
            return remembered()

    return loaded


@_loaded_once
def _cutter() -> _Cutter:
    import jieba

    jieba.setLogLevel(logging.WARNING)
    cutter: Any = jieba.Tokenizer()
    with cutter.lock:
        cutter.FREQ, cutter.total = cutter.gen_pfdict(cutter.get_dict_file())
        cutter.initialized = True  # spares the marshalled cache that ``initialize`` writes to the shared temp folder
    return cast(_Cutter, cutter)


@_loaded_once
def _idf() -> Mapping[str, float]:
    """Read from jieba's file: importing ``jieba.analyse`` would load a tagger and a second dictionary as well."""
    lines = (files("jieba") / "analyse" / "idf.txt").read_text(encoding="utf-8").splitlines()
    return {word: float(frequency) for word, frequency in (line.strip().split(" ") for line in lines)}


@_loaded_once
def _characters() -> tuple[Counter[str], int]:
    counts: Counter[str] = Counter()
    for word, occurrences in _cutter().FREQ.items():
        for character in set(word) if occurrences else ():
            counts[character] += occurrences
    return counts, sum(_cutter().FREQ.values())


@lru_cache(maxsize=4096)
def words_of(term: str) -> tuple[str, ...]:
    """The distinct words of two characters and more within a folded ``term``, long words and their parts."""
    return tuple(dict.fromkeys(word for word in _cutter().lcut_for_search(term) if len(word.strip()) > 1))


@lru_cache(maxsize=4096)
def weight_of(word: str) -> float:
    """How telling a folded word is, 0 … 1: its inverse document frequency ÷ ``TELLING_IDF``, at most 1, squared.

    A word that the background does not know is as telling as the most telling known word that it is cut into (single
    characters included: ``能吃吗`` tells little); one without a known part is a name or new and counts in full.
    """
    known = _idf()
    parts = [word] if word in known else [part for part in _cutter().lcut_for_search(word) if part.strip()]
    if not all(part in known for part in parts):
        return 1.0
    most = max((known[part] for part in parts), default=TELLING_IDF)
    return float((min(most, TELLING_IDF) / TELLING_IDF) ** 2)


@lru_cache(maxsize=4096)
def rarity_of(character: str) -> float:
    """Natural logarithm of all word occurrences ÷ those that hold the ideograph; 0 for anything else."""
    if not unicodedata.name(character, "").startswith("CJK UNIFIED"):
        return 0.0
    counts, total = _characters()
    return math.log(total / max(1, counts[character]))
