"""Rankers learned from labels: the training set, the learners, cross-validation by topic, and what each family adds."""
