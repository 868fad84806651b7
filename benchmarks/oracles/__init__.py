"""Programs that print the numbers of other tools, committed under tests/golden/data with their provenance."""
