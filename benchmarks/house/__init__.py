"""How much of the house a reader must enter: the modules of seven everyday commands, and the shape of the source."""
