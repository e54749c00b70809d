"""Measures of other packages: entry points of the group ``abrank.measures``."""

from __future__ import annotations

from functools import cache

from abrank._support.errors import ArgumentError

GROUP = "abrank.measures"


@cache
def load_plugins() -> None:
    """Import, once in a process, the modules in which other packages decorate their measures.

    A package names the module in its ``pyproject.toml``::

        [project.entry-points."abrank.measures"]
        mine = "my_package.my_measures"

    Raises
    ------
    ArgumentError
        If a module cannot be imported, with the entry point that names it.
    """
    from importlib.metadata import entry_points

    for plugin in entry_points(group=GROUP):
        try:
            plugin.load()
        except (ImportError, AttributeError) as error:
            where = f'the entry point "{plugin.name} = {plugin.value}" of {GROUP}'
            raise ArgumentError(f"{where} cannot be loaded: {error}") from error
