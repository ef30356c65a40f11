"""Which words of an itemset are worth asking for (contract demand-worth); knows no Dagster."""
