"""The ``kaiwa`` command; also ``python -m kaiwa``."""

from __future__ import annotations

import signal


def main() -> None:
    """Run the command; a Ctrl-C while it is loaded ends it without a traceback."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from kaiwa.cli.group import main as command

    command()


if __name__ == "__main__":
    main()
