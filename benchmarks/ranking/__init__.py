"""Experiments on real labels: rankings of labelled candidates, with models that have not seen the topics."""
