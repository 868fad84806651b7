"""The engine on Apache Spark: ``session`` opens it, ``engine`` is the interface, ``tasks`` runs on its workers."""
