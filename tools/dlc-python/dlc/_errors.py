"""Exceptions and warnings with the code, the place and the suggestion of dlc's diagnostics."""

from __future__ import annotations

import dataclasses
import warnings

__all__ = ["ArgumentError", "Error", "Message", "Place", "Warning"]


@dataclasses.dataclass(frozen=True)
class Place:
    """Where something stands in a source; lines and columns (in bytes) count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclasses.dataclass(frozen=True)
class Message:
    """A diagnostic: its stable code and kind, one sentence, where, and what to do about it."""

    code: str
    kind: str
    message: str
    place: Place | None
    suggestion: str | None
    notes: tuple[str, ...]
    rendered: str


class Error(Exception):
    """Something that dlc refuses or cannot do.

    Its text is what the command line shows; `code`, `kind`, `message`, `place`, `suggestion` and `notes` are those of
    the first diagnostic, and `messages` has all of them. `argument` names the argument of a call that it is about.
    """

    def __init__(self, messages: tuple[Message, ...], argument: str | None = None) -> None:
        super().__init__("\n".join(message.rendered for message in messages))
        self.messages = messages
        self.argument = argument

    @property
    def first(self) -> Message:
        """The first diagnostic."""
        return self.messages[0]

    @property
    def code(self) -> str:
        """The stable code, such as `E0532`; docs/reference/diagnostics.md lists them."""
        return self.first.code

    @property
    def kind(self) -> str:
        """The kind in one word, such as `BadInput`."""
        return self.first.kind

    @property
    def message(self) -> str:
        """One sentence without a full stop."""
        return self.first.message

    @property
    def place(self) -> Place | None:
        """Where in the source, if a place is meant."""
        return self.first.place

    @property
    def suggestion(self) -> str | None:
        """What to do about it, if that is known."""
        return self.first.suggestion

    @property
    def notes(self) -> tuple[str, ...]:
        """What else belongs to it."""
        return self.first.notes

    def __reduce__(self):
        return type(self), (self.messages, self.argument)


class ArgumentError(Error, ValueError):
    """An argument of a call that does not fit: its type, its sizes, its layout. `argument` names it."""


class Warning(UserWarning):
    """A warning of dlc; `diagnostic` is the message."""

    def __init__(self, diagnostic: Message) -> None:
        super().__init__(diagnostic.rendered)
        self.diagnostic = diagnostic


def _message(parts) -> Message:
    code, kind, message, place, suggestion, notes, rendered = parts
    return Message(code, kind, message, place and Place(*place), suggestion, tuple(notes), rendered)


def make(messages, argument) -> Error:
    """The exception for diagnostics; called by the extension module."""
    made = tuple(_message(parts) for parts in messages)
    is_call = made[0].kind in ("BadInput", "BadSymbol")
    return (ArgumentError if is_call else Error)(made, argument)


def warn(messages) -> None:
    """Warns of diagnostics; called by the extension module."""
    for parts in messages:
        warnings.warn(Warning(_message(parts)), stacklevel=3)


def refuse(argument: str, message: str, suggestion: str) -> ArgumentError:
    """The exception for an argument that is refused before the extension module sees it."""
    rendered = f"error[E0532]: {message}\n  help: {suggestion}"
    return ArgumentError((Message("E0532", "BadInput", message, None, suggestion, (), rendered),), argument)
