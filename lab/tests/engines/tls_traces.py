"""The system's own knowledge of an engine and of its sockets, which the engine cannot change."""

import ctypes
import dataclasses
import os
import re
import signal
import socket
import struct
import threading
import time
from pathlib import Path

# A reset that comes while the kernel puts a socket that was closed in FIN-WAIT-2 aside hits neither the old nor the new
# one: now and then one of thousands is left, which the kernel ends by itself within a minute. No TIME-WAIT is waited for.
FIN_WAIT2, RESET_LOST = 5, 65
LISTENS, ESTABLISHED = 0x0A, 0x01
# The same number on every architecture; Python has no name for it.
PIDFD_GETFD = 438
# Where `struct tcp_info` of Linux has how many bytes were acknowledged and received, and how many show that it is no
# handshake any more.
ACKNOWLEDGED_AND_RECEIVED, IN_USE = 120, 50_000
# Between two looks: a transfer is over soon, and thousands of connections are not to be slowed down.
SHORT_NAP, NAP = 0.002, 0.01


@dataclasses.dataclass(frozen=True)
class Row:
    """A line of /proc/net/tcp: one end of a connection, or what is left of it."""

    local: int
    remote: int
    state: int
    inode: int


def tcp_rows() -> list:
    rows = []
    for table in ("tcp", "tcp6"):
        for line in Path("/proc/net", table).read_text().splitlines()[1:]:
            words = line.split()
            local, remote = (int(words[at].rpartition(":")[2], 16) for at in (1, 2))
            rows.append(Row(local, remote, int(words[3], 16), int(words[9])))
    return rows


def left_of(ports: set) -> list:
    """The sockets that have one of the ports, in TIME-WAIT or any other state."""
    return [row for row in tcp_rows() if {row.local, row.remote} & ports]


def accepted() -> int:
    """How many connections this system's servers ever got: others only add to it."""
    names, values = (line.split() for line in Path("/proc/net/snmp").read_text().splitlines() if line.startswith("Tcp:"))
    return int(values[names.index("PassiveOpens")])


def carried() -> int:
    """How many bytes ever went over the loopback device: others only add to it."""
    return int(re.search(r"\blo:\s*(\d+)", Path("/proc/net/dev").read_text())[1])


def footprint(process: int) -> dict:
    place = Path("/proc", str(process))
    return {"files": len(list((place / "fd").iterdir())), "threads": len(list((place / "task").iterdir())),
            "sockets": len(own_sockets(process)),
            "resident": int(re.search(r"VmRSS:\s*(\d+)", (place / "status").read_text())[1]) << 10}


def own_sockets(process: int) -> dict:
    """The inodes of the process's sockets, and under which number it has each."""
    found = {}
    for link in Path("/proc", str(process), "fd").iterdir():
        try:
            name = os.readlink(link)
        except FileNotFoundError:
            continue
        if name.startswith("socket:["):
            found[int(name[8:-1])] = int(link.name)
    return found


class Watch:
    """Looks at the process's TCP again and again while its body runs. The process stands still for each look, so that what
    is seen was there at one instant."""

    def __init__(self, process: int, nap: float = NAP):
        self.process, self.nap = process, nap
        self.ports, self.no_delay, self.most_at_once = set(), {}, 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.look_until_it_is_over)

    def __enter__(self):
        self.pidfd = os.pidfd_open(self.process)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        os.close(self.pidfd)

    def look_until_it_is_over(self):
        while not self.over.wait(self.nap):
            os.kill(self.process, signal.SIGSTOP)
            try:
                self.wait_until_it_stands()
                self.look()
            finally:
                os.kill(self.process, signal.SIGCONT)

    def wait_until_it_stands(self):
        """Every thread: each goes on until a processor has time for it to notice that it must not."""
        for task in Path("/proc", str(self.process), "task").iterdir():
            while still_runs(task):
                time.sleep(0)

    def look(self):
        own = own_sockets(self.process)
        # The system's table repeats lines when others open and close connections meanwhile.
        rows = {row for row in tcp_rows() if row.inode in own}
        self.ports |= {row.local for row in rows if row.state == LISTENS}
        established = {row for row in rows if row.state == ESTABLISHED}
        self.most_at_once = max(self.most_at_once, sum(row.remote in self.ports for row in established))
        for row in established:
            self.look_into(row.inode, own[row.inode])

    def look_into(self, inode: int, number: int):
        """Asks the socket itself, through a descriptor of our own; it may have gone by now."""
        duplicate = ctypes.CDLL(None).syscall(PIDFD_GETFD, self.pidfd, number, 0)
        if duplicate < 0:
            return
        try:
            with socket.socket(fileno=duplicate) as its:
                counts = its.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
                if max(struct.unpack_from("QQ", counts, ACKNOWLEDGED_AND_RECEIVED)) > IN_USE:
                    self.no_delay[inode] = its.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0
        except OSError:
            pass


def still_runs(task: Path) -> bool:
    try:
        return (task / "stat").read_text().rpartition(")")[2].split()[0] not in "TtZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def settled(process: int, ports: set, files: int, patience: float = 2) -> tuple:
    """The traces left after a process has settled: a thread that has answered may still be on its way out."""
    start = time.monotonic()
    while True:
        left, found = left_of(ports), footprint(process)
        if not left and found["files"] <= files:
            return left, found
        lost = left and all(row.state == FIN_WAIT2 and row.inode == 0 for row in left)
        if time.monotonic() - start > (RESET_LOST if lost else patience):
            return left, found
        time.sleep(0.02)
