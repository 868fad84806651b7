"""A post in, ranked comments out: tokens, index, exact similarity of posts and comments, fusion, filters."""
