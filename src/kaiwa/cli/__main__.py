from __future__ import annotations

from kaiwa.cli.group import main

main()
