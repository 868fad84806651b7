"""Votes from elsewhere: the exports of labelling tools, and the sheets and pages that are judged without a server."""
