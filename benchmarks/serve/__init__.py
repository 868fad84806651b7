"""Load and kills: a real server, many clients, every acknowledged vote looked for in the end."""
