"""The GraphQL of a Dagster webserver, as far as the command line needs it; knows nothing of this product's assets."""
