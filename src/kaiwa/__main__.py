"""The ``kaiwa`` command; also ``python -m kaiwa``."""

from __future__ import annotations

import signal

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a Ctrl-C while the rest is loaded: no traceback
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from kaiwa.cli.group import main

if __name__ == "__main__":
    main()
