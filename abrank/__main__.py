"""``python -m abrank`` and the installed command ``abrank``."""

import signal


def command() -> None:
    """Run the command line; Ctrl-C while it is still being imported ends it without a traceback."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from abrank.cli import main

    main()


if __name__ == "__main__":
    command()
