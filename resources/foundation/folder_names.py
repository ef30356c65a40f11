"""Names of folders that no setting moves and that more than one half knows."""

from __future__ import annotations

RUN_FOLDERS = "test_output_data"
"""The folders of demand runs, in the working directory (D-061)."""
REPORTS = "reports"
"""The pages of batches, in ``PATTERN2PLAN_HOME``."""
