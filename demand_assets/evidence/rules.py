"""The rules of closure (contract, section 4): what fails for one candidate against the facts, and why.

Each rule yields findings; a finding names the offending value and, where there is one, the nearest valid value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from rapidfuzz import process

from demand_assets.evidence.codes import RejectCode, rule_order
from demand_assets.evidence.fact_consistency import contradicts_tree, is_frequent
from demand_assets.evidence.facts import Evidence, Facts
from demand_assets.evidence.refs import PATTERN_ITEMSET, Candidate, without_abandoned
from demand_assets.evidence.terms import uncovered
from resources.databases.pattern_facts.records import Itemset
from resources.databases.pattern_facts.tables import TOPIC_SCOPE


class Finding(NamedTuple):
    """One broken rule: its code, one sentence, the offending value, the nearest valid value."""

    code: RejectCode
    message: str
    offending: str | None = None
    nearest: str | None = None

    def masked(self) -> Finding:
        """The same finding without the name of the abandoned source (D-052)."""
        offending, nearest = (None if text is None else without_abandoned(text) for text in self[2:])
        return Finding(self.code, without_abandoned(self.message), offending, nearest)


class Claim(NamedTuple):
    """A candidate with what its refs resolve to: distinct itemset ids in the order given, and the source post."""

    candidate: Candidate
    itemset_ids: tuple[int, ...]
    source_post_id: str | None

    @classmethod
    def of(cls, candidate: Candidate) -> Claim:
        refs = candidate.evidence_refs
        post = refs.source_post_id
        return cls(candidate, tuple(dict.fromkeys(refs.itemset_ids)), post if post and post.strip() else None)

    def evidence(self, facts: Facts) -> Evidence:
        """What the facts hold on this claim."""
        return facts.about(self.itemset_ids, self.source_post_id)


def judge(claim: Claim, facts: Facts, evidence: Evidence) -> list[Finding]:
    """All broken rules in the order of the contract's table; empty means that the evidence closes."""
    findings = [finding for rule in _RULES for finding in rule(claim, facts)]
    findings.extend(finding for rule in _EVIDENCE_RULES for finding in rule(claim, facts, evidence))
    return sorted(findings, key=lambda finding: rule_order(finding.code))


def _source_kind(claim: Claim, _facts: Facts) -> Iterator[Finding]:
    kind = claim.candidate.evidence_refs.resolved_kind()
    if kind != PATTERN_ITEMSET:
        said = "no source_kind is given" if kind is None else f"source_kind {kind!r} is not supported"
        yield Finding(RejectCode.SOURCE_KIND_NOT_SUPPORTED, said, kind, PATTERN_ITEMSET)


def _execution(_claim: Claim, facts: Facts) -> Iterator[Finding]:
    if not facts.usable():
        why = f"has status {facts.execution.status!r}, not 'success'" if facts.execution else "does not exist"
        message = f"execution_id {facts.execution_id} {why}"
        yield Finding(RejectCode.EXECUTION_NOT_USABLE, message, str(facts.execution_id))


def _itemsets_exist(claim: Claim, facts: Facts) -> Iterator[Finding]:
    if not claim.itemset_ids:
        message = f"no itemset_id is given for execution_id {facts.execution_id}"
        yield Finding(RejectCode.ITEMSET_NOT_FOUND, message)
    for itemset_id in claim.itemset_ids:
        if itemset_id not in facts.itemsets:
            message = f"itemset_id {itemset_id} not found under execution_id {facts.execution_id}"
            yield Finding(RejectCode.ITEMSET_NOT_FOUND, message, str(itemset_id))


def _known_itemsets(claim: Claim, facts: Facts) -> Iterator[tuple[Itemset, str]]:
    """The claimed itemsets that exist, each with how a message names it."""
    for itemset_id in claim.itemset_ids:
        if itemset_id in facts.itemsets:
            yield facts.itemsets[itemset_id], f"itemset_id {itemset_id} of execution_id {facts.execution_id}"


def _itemsets_of_execution(claim: Claim, facts: Facts) -> Iterator[Finding]:
    for itemset, _ in _known_itemsets(claim, facts):
        if itemset.execution_id != facts.execution_id:
            owner = f"execution_id {itemset.execution_id}"
            message = f"itemset_id {itemset.id} belongs to {owner}, not to execution_id {facts.execution_id}"
            yield Finding(RejectCode.ITEMSET_OTHER_EXECUTION, message, str(itemset.id), owner)


def _scope_and_config(claim: Claim, facts: Facts) -> Iterator[Finding]:
    for itemset, of in _known_itemsets(claim, facts):
        if itemset.scope != TOPIC_SCOPE:
            message = f"{of} has scope {itemset.scope!r}, not 'topic'"
            yield Finding(RejectCode.SCOPE_NOT_TOPIC, message, str(itemset.scope), TOPIC_SCOPE)
        config = f"{of}: mining_config_id {itemset.mining_config_id}"
        if itemset.config_execution_id is None:
            message = f"{config} does not exist"
        elif itemset.config_execution_id != itemset.execution_id:
            message = f"{config} belongs to execution_id {itemset.config_execution_id}"
        elif itemset.config_scope != TOPIC_SCOPE:
            message = f"{config} has scope {itemset.config_scope!r}, not 'topic'"
        elif not is_frequent(itemset):
            message = f"{config} asks for a support of {itemset.config_min_support}, above {itemset.support} of {of}"
        else:
            continue
        yield Finding(RejectCode.CONFIG_NOT_CLOSED, message, str(itemset.mining_config_id))


def _single_itemset(claim: Claim, facts: Facts) -> Iterator[Finding]:
    if len(claim.itemset_ids) > 1:
        message = (
            f"{len(claim.itemset_ids)} itemset ids are given ({claim.itemset_ids[0]} and "
            f"{claim.itemset_ids[1]} …) for execution_id {facts.execution_id}, one is needed"
        )
        shown = ",".join(map(str, claim.itemset_ids[:12]))
        yield Finding(RejectCode.ITEMSET_NOT_SINGLE, message, shown, str(claim.itemset_ids[0]))


def _categories(claim: Claim, facts: Facts) -> Iterator[Finding]:
    code = RejectCode.CATEGORY_NOT_CLOSED
    for itemset, of in _known_itemsets(claim, facts):
        items = facts.items.get(itemset.id, ())
        if not items:
            yield Finding(code, f"{of} has no items", str(itemset.id))
        elif itemset.scope == TOPIC_SCOPE and itemset.item_count not in (None, len(items)):
            message = f"{of} has {len(items)} items but item_count {itemset.item_count}"
            yield Finding(code, message, str(itemset.item_count), str(len(items)))
        for item in items:
            if item.category_id is None:
                why = "has no category_id"
            elif item.category_execution_id is None:
                why = f"names category_id {item.category_id}, which does not exist"
            elif item.category_execution_id != facts.execution_id:
                why = f"names category_id {item.category_id} of execution_id {item.category_execution_id}"
            elif not (item.category_path or "").strip():
                why = f"names category_id {item.category_id}, whose path is blank"
            elif (contradiction := contradicts_tree(item)) is not None:
                why = f"names category_id {item.category_id}, {contradiction}"
            else:
                continue
            offending = None if item.category_id is None else str(item.category_id)
            yield Finding(code, f"{of}: item {item.id} {why}", offending)


def _posts(claim: Claim, facts: Facts) -> Iterator[Finding]:
    for itemset, of in _known_itemsets(claim, facts):
        posts = facts.posts_of(itemset.id)
        if posts.blank:
            message = f"{of} has {posts.blank} links with a blank post_id"
        elif not itemset.absolute_support or itemset.absolute_support < 0:
            message = f"{of} has absolute_support {itemset.absolute_support}"
        elif len(posts.post_ids) != itemset.absolute_support:
            message = f"{of} has {len(posts.post_ids)} posts but absolute_support {itemset.absolute_support}"
        else:
            continue
        yield Finding(RejectCode.POST_COUNT_MISMATCH, message, str(itemset.id))


def _source_post(claim: Claim, facts: Facts, evidence: Evidence) -> Iterator[Finding]:
    post, known = claim.source_post_id, evidence.itemset_ids
    if post is None:
        message = f"no source_post_id is given for execution_id {facts.execution_id}"
        yield Finding(RejectCode.SOURCE_POST_NOT_MATCHED, message, None, _any_post(known, facts))
    elif known and not any(_is_post(post, itemset_id, facts) for itemset_id in known):
        message = (
            f"source_post_id {post!r} is not a matched post of itemset_id {known[0]} "
            f"of execution_id {facts.execution_id}"
        )
        yield Finding(RejectCode.SOURCE_POST_NOT_MATCHED, message, post, _nearest_post(post, known, facts))


def _elements(claim: Claim, facts: Facts, evidence: Evidence) -> Iterator[Finding]:
    bound = {binding.itemset_item_id for binding in evidence.bindings}
    for item in evidence.items:
        if item.id not in bound:
            message = (
                f"item {item.id} of itemset_id {item.itemset_id} binds no topic element in post "
                f"{claim.source_post_id!r} under execution_id {facts.execution_id}"
            )
            yield Finding(RejectCode.ELEMENT_NOT_BOUND, message, str(item.id))


def _claimed_categories(claim: Claim, facts: Facts, evidence: Evidence) -> Iterator[Finding]:
    if not evidence.itemset_ids:
        return
    own = {item.category_id for item in evidence.items if item.category_id is not None}
    for category_id in dict.fromkeys(claim.candidate.evidence_refs.category_ids):
        if category_id not in own:
            message = (
                f"category_id {category_id} is not a category of itemset_id {claim.itemset_ids[0]} "
                f"of execution_id {facts.execution_id}"
            )
            nearest = str(min(own, key=lambda known: abs(known - category_id))) if own else None
            yield Finding(RejectCode.CATEGORY_NOT_IN_ITEMSET, message, str(category_id), nearest)


def _cases(claim: Claim, facts: Facts, evidence: Evidence) -> Iterator[Finding]:
    known = evidence.itemset_ids
    if not known:
        return
    for kind, case_ids in claim.candidate.evidence_refs.case_ids.items():
        for case_id in dict.fromkeys(case_ids):
            matched = any(_is_post(case_id, itemset_id, facts) for itemset_id in known)
            if kind == PATTERN_ITEMSET and not matched:
                message = f"is not a matched post of itemset_id {known[0]}"
                nearest = _nearest_post(case_id, known, facts)
            elif kind != PATTERN_ITEMSET and matched:
                message = f"is a matched post of itemset_id {known[0]} and belongs under {PATTERN_ITEMSET!r}"
                nearest = PATTERN_ITEMSET
            else:
                continue
            full = f"case id {case_id!r} under {kind!r} {message} of execution_id {facts.execution_id}"
            yield Finding(RejectCode.CASE_NOT_MATCHED, full, case_id, nearest)


def _terms(claim: Claim, facts: Facts, evidence: Evidence) -> Iterator[Finding]:
    if not evidence.itemset_ids:
        return
    words = evidence.words()
    groups = (
        ("element name", RejectCode.ELEMENT_NAMES_NOT_COVERED, claim.candidate.element_names),
        ("seed term", RejectCode.SEED_TERMS_NOT_COVERED, claim.candidate.evidence_refs.seed_terms),
    )
    for label, code, terms in groups:
        for term in uncovered(terms, words):
            message = (
                f"{label} {term!r} is not among the words of itemset_id {claim.itemset_ids[0]} in post "
                f"{claim.source_post_id!r} of execution_id {facts.execution_id}"
            )
            yield Finding(code, message, term, _nearest(term, evidence.spellings()))


def _is_post(post_id: str, itemset_id: int, facts: Facts) -> bool:
    return facts.posts_of(itemset_id).holds(post_id)


def _any_post(itemset_ids: list[int], facts: Facts) -> str | None:
    return next((post for i in itemset_ids for post in facts.posts_of(i).post_ids), None)


def _nearest_post(post_id: str, itemset_ids: list[int], facts: Facts) -> str | None:
    return _nearest(post_id, [post for i in itemset_ids for post in facts.posts_of(i).post_ids])


def _nearest(value: str, choices: list[str]) -> str | None:
    found = process.extractOne(value, choices) if choices else None
    return None if found is None else str(found[0])


_RULES: tuple[Callable[[Claim, Facts], Iterator[Finding]], ...] = (
    _source_kind,
    _execution,
    _itemsets_exist,
    _itemsets_of_execution,
    _scope_and_config,
    _single_itemset,
    _categories,
    _posts,
)
_EVIDENCE_RULES: tuple[Callable[[Claim, Facts, Evidence], Iterator[Finding]], ...] = (
    _source_post,
    _elements,
    _claimed_categories,
    _cases,
    _terms,
)
