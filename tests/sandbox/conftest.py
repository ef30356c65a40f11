"""The sample, drawn once for all sandbox tests."""

import pytest

from sandbox.sample.facts_sample import Sample, sample_fact_base


@pytest.fixture(scope="session")
def sample() -> Sample:
    return sample_fact_base()
