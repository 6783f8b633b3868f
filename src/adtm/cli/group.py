"""How the command line says no, one line on standard error and exit code 2, and what its help calls things.

What the user can mend arrives as ValueError, OSError or ImportError from the library, or as a usage error from typer.
Anything else is a fault of ours and keeps its traceback.
"""

from __future__ import annotations

import errno
import os
import sys
import warnings
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from adtm.cli.output import note, write_every_letter

REFUSED = 2
INTERRUPTED = 130  # what a shell reports after Ctrl-C


class Command(TyperCommand):
    """A command whose help says FILE, COLUMN or N, and never the name of a type."""

    def get_params(self, ctx: Any) -> Any:
        """The parameters, each with a word for what it takes."""
        return _in_words(super().get_params(ctx))


class OneLineErrors(TyperGroup):
    """The group of all commands, and each group within it."""

    def get_params(self, ctx: Any) -> Any:
        """The parameters, each with a word for what it takes."""
        return _in_words(super().get_params(ctx))

    def main(self, args: Any = None, *, standalone_mode: bool = True, **extra: Any) -> Any:  # type: ignore[override]
        """Run a command; with ``standalone_mode`` the process ends with its exit code."""
        _open_streams()
        try:
            result = super().main(args, standalone_mode=False, **extra)
        except Exception as error:
            # click's own errors, which typer brings along under a name of its own in every version
            if not standalone_mode or not (isinstance(error, OSError) or hasattr(error, "format_message")):
                raise
            if isinstance(error, OSError):  # nobody can read the help: no command was invoked yet
                _say([], _text(error))
            elif type(error).__name__ == "NoArgsIsHelpError":
                error.show()  # type: ignore[attr-defined]
            else:
                path = getattr(getattr(error, "ctx", None), "command_path", "")
                _say(path.split()[1:], _usage(error))
            sys.exit(REFUSED)
        if standalone_mode:
            sys.exit(result if isinstance(result, int) else 0)
        return result

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for; refusals and warnings become one line each."""
        try:
            said: set[str] = set()  # what every fold of a cross-validation meets is told once
            with warnings.catch_warnings():
                warnings.showwarning = lambda message, *_: _once(said, _words(ctx), str(message))
                return super().invoke(ctx)
        except (ValueError, OSError, ImportError, MemoryError) as error:
            if isinstance(error, OSError) and error.errno == errno.EPIPE:  # `| head` has seen enough; typer knows
                raise
            _say(_words(ctx), _text(error))
            raise typer.Exit(REFUSED) from error


def _open_streams() -> None:
    """Streams that the shell closed, ``>&-``, lead nowhere: their numbers go to no file that is opened later.

    The others write every letter: what was worked out is not lost because of one.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        write_every_letter(stream)


def _in_words(parameters: list[Any]) -> list[Any]:
    """Arguments are called by their names, and flags take nothing; the words for other options stand beside them."""
    for parameter in parameters:
        if parameter.metavar is None and parameter.param_type_name == "argument":
            parameter.metavar = parameter.name.upper()
        elif parameter.metavar is None and parameter.is_flag:
            parameter.metavar = ""
    return parameters


def _words(ctx: Any) -> list[str]:
    """The words that name the command which a group runs, from the program's name on: export, c."""
    own = [] if ctx.parent is None else [ctx.info_name]
    return [*own, ctx.invoked_subcommand]


def _usage(error: Any) -> str:
    """What is wrong with the words of a command. Newer typers say what they expected and leave out what came."""
    text: str = error.format_message()
    errors = getattr(error.__cause__, "errors", None)
    return text if errors is None else f"{text.split(', unable')[0]}, got {errors()[0]['input']!r}"


def _text(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return str(error) or "not enough memory"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _once(said: set[str], command: list[str], what: str) -> None:
    if what not in said:
        said.add(what)
        _say(command, what)


def _say(command: list[str], what: str) -> None:
    note(f"{' '.join(['adtm', *command])}: {' '.join(what.split())}")
