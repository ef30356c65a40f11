"""Statements that alter a scratch copy of the facts; the real facts are never opened for writing."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Executable, and_, delete, insert, update

from resources.databases.pattern_facts import tables as t


def execution_status(execution_id: int, status: str) -> list[Executable]:
    """The execution has another status."""
    return [update(t.execution).where(t.execution.c.id == execution_id).values(status=status)]


def execution_gone(execution_id: int) -> list[Executable]:
    """The execution row is deleted."""
    return [delete(t.execution).where(t.execution.c.id == execution_id)]


def itemset_gone(itemset_id: int) -> list[Executable]:
    """The itemset row is deleted; its items and links stay."""
    return [delete(t.itemset).where(t.itemset.c.id == itemset_id)]


def itemset_set(itemset_id: int, **values: Any) -> list[Executable]:
    """Columns of the itemset change."""
    return [update(t.itemset).where(t.itemset.c.id == itemset_id).values(**values)]


def config_gone(config_id: int) -> list[Executable]:
    """The mining config is deleted."""
    return [delete(t.config).where(t.config.c.id == config_id)]


def config_set(config_id: int, **values: Any) -> list[Executable]:
    """Columns of the mining config change."""
    return [update(t.config).where(t.config.c.id == config_id).values(**values)]


def items_gone(itemset_id: int) -> list[Executable]:
    """The itemset's items are deleted."""
    return [delete(t.itemset_item).where(t.itemset_item.c.itemset_id == itemset_id)]


def item_without_category(item_id: int) -> list[Executable]:
    """An item loses its category."""
    return [update(t.itemset_item).where(t.itemset_item.c.id == item_id).values(category_id=None)]


def category_set(category_id: int, **values: Any) -> list[Executable]:
    """Columns of a category change."""
    return [update(t.category).where(t.category.c.id == category_id).values(**values)]


def post_link_gone(itemset_id: int, post_id: str) -> list[Executable]:
    """A post is no longer matched."""
    return [delete(t.itemset_post).where(_link(itemset_id, post_id))]


def post_link_added(itemset_id: int, post_id: str) -> list[Executable]:
    """Another link appears."""
    return [insert(t.itemset_post).values(itemset_id=itemset_id, post_id=post_id)]


def post_link_renamed(itemset_id: int, post_id: str, new_post_id: str) -> list[Executable]:
    """A link points to another post; the number of posts stays."""
    return [update(t.itemset_post).where(_link(itemset_id, post_id)).values(post_id=new_post_id)]


def elements_gone(post_id: str) -> list[Executable]:
    """A post loses its elements."""
    return [delete(t.element).where(t.element.c.post_id == post_id)]


def elements_set(post_id: str, **values: Any) -> list[Executable]:
    """Columns of a post's elements change."""
    return [update(t.element).where(t.element.c.post_id == post_id).values(**values)]


def _link(itemset_id: int, post_id: str) -> Any:
    return and_(t.itemset_post.c.itemset_id == itemset_id, t.itemset_post.c.post_id == post_id)
