"""Where a batch of work runs: in this process, in several processes, or on Apache Spark; the same rows come out."""
