"""``python -m abrank`` and the installed command ``abrank``."""

# The C module behind `signal`. `signal` itself creates enumerations on import, which takes longer
# than everything here, and until then Ctrl-C would print a traceback.
import _signal  # type: ignore[import-not-found]


def command() -> None:
    """Run the command line; Ctrl-C during its import exits without a traceback."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    from abrank.cli import main

    main()


if __name__ == "__main__":
    command()
