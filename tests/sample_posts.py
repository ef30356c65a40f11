"""The posts of the sample as a user's own file would hold them."""

from __future__ import annotations

import pandas as pd

from sandbox.sample.posts import draw_posts


def sample_posts(seed: int = 1) -> pd.DataFrame:
    """Columns as of :func:`sandbox.mining.posts.read_posts`; the same seed gives the same posts."""
    rows = [(post.id, post.title, post.path, [word.name for word in post.words]) for post in draw_posts(seed)]
    return pd.DataFrame(rows, columns=["id", "title", "category_path", "tags"])
