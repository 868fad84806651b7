"""The Python API: the functions behind the names of ``kaiwa``, each module loaded when first used."""
