"""What features need and is trained from a repository: one module per kind of model, arrays in, arrays out."""
