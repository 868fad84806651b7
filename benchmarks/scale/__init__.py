"""What one machine and Apache Spark need for the same work."""
