"""Names of the pools whose slots a run takes; how many slots each has is said by the deployment."""

from __future__ import annotations

PATTERN_FACTS = "pattern_facts"
"""Steps that read the pattern facts."""
CONTENT_PLATFORM = "content_platform"
"""Steps that call the content platform."""
