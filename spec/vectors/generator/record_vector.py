"""A vector of records: a log, and what becomes of it."""

from dataclasses import dataclass, field

from record_wire import PSK, Session, psk_string

ALICES = [psk_string()]
LOG = Session()


@dataclass
class Record:
    name: str
    log: bytes
    output: bytes
    opened: int = 0
    orphan: int = 0
    no_key: int = 0
    tampered: int = 0
    not_text: int = 0
    cut_off: int = 0
    raw: bool = False
    sessions: list = field(default_factory=list)  # (session, what is expected of it)
    keys: list = field(default_factory=lambda: ALICES)


def record(name: str, log: str | bytes, output: str | bytes | None = None, header: str | None = None, **counts) -> Record:
    """A log behind the sound header, or behind `header`; without an output it stays as it is."""
    log = log.encode() if isinstance(log, str) else log
    output = log if output is None else output.encode() if isinstance(output, str) else output
    header = LOG.lines() if header is None else header
    return Record(name, header.encode() + log, output, **counts)


def whole(session: Session, **known) -> tuple[Session, dict]:
    return session, known


__all__ = ["ALICES", "LOG", "PSK", "Record", "record", "whole"]
