"""``python -m abrank`` is the command ``abrank``."""

from abrank.cli import main

if __name__ == "__main__":
    main()
