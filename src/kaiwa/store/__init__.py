"""The vote log: append-only, hash-chained, durable when acknowledged; SQLite by default, PostgreSQL by URL."""
