"""Features of candidate pairs: one module for each family, one row of FEATURES for each feature."""
