"""``python -m abrank`` and the installed command ``abrank``."""

# Python's own module of signals; `signal` makes enumerations of it, which takes longer than all
# that is done here, and until then Ctrl-C ends Python with a traceback.
import _signal  # type: ignore[import-not-found]


def command() -> None:
    """Run the command line; Ctrl-C while it is still being imported ends it without a traceback."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    from abrank.cli import main

    main()


if __name__ == "__main__":
    command()
