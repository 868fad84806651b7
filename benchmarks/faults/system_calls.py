"""The calls of Linux that change files, seen and changed from outside the process: ptrace with a seccomp filter.

Every call is reached, also those of native libraries (Parquet, numpy, figures); a write through a memory map is not.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

IS_SUPPORTED = sys.platform == "linux" and platform.machine() == "x86_64"

NUMBERS = {
    1: "write", 18: "pwrite64", 20: "writev", 296: "pwritev", 328: "pwritev2", 40: "sendfile", 326: "copy_file_range",
    76: "truncate", 77: "ftruncate", 285: "fallocate", 74: "fsync", 75: "fdatasync", 82: "rename", 264: "renameat",
    316: "renameat2", 86: "link", 265: "linkat", 88: "symlink", 266: "symlinkat", 87: "unlink", 263: "unlinkat",
    83: "mkdir", 258: "mkdirat", 84: "rmdir", 2: "open", 257: "openat", 85: "creat", 90: "chmod", 91: "fchmod",
    268: "fchmodat", 452: "fchmodat2", 280: "utimensat",
}  # fmt: skip
"""The numbers of the calls on x86-64."""
WRITES = {"write", "pwrite64"}
REMOVALS = {"unlink", "unlinkat", "rmdir"}
TAKES_SPACE = {"write", "pwrite64", "writev", "pwritev", "pwritev2", "sendfile", "copy_file_range", "fallocate",
               "link", "linkat", "symlink", "symlinkat", "mkdir", "mkdirat", "open", "openat", "creat"}  # fmt: skip
"""What fails on a full disk; a file gets another name and is removed without space."""
_OF_HANDLES = WRITES | {"writev", "pwritev", "pwritev2", "sendfile", "ftruncate", "fallocate", "fsync", "fdatasync"}
_OF_HANDLES |= {"fchmod"}
_OF_FOLDER_HANDLES = {"renameat", "renameat2", "linkat", "unlinkat", "mkdirat", "openat", "fchmodat", "fchmodat2"}
_OF_FOLDER_HANDLES |= {"utimensat"}

_TRACEME, _CONT, _GETREGS, _SETREGS, _SYSCALL, _SETOPTIONS = 0, 7, 12, 13, 24, 0x4200
_OPTIONS = 0x1 | 0x2 | 0x4 | 0x8 | 0x80 | 0x100000  # all children and threads; calls of the filter; none outlives us
SECCOMP_EVENT = 7
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER_MODE = 38, 22, 2
_TRACE, _ALLOW = 0x7FF00000, 0x7FFF0000
_CALL, _RESULT = 15, 10
_ARGUMENTS = (14, 13, 12, 7, 9, 8)
_CHANGES = os.O_CREAT | os.O_TRUNC
_AT_FDCWD = -100


def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    libc.ptrace.restype = ctypes.c_long
    return libc


_LIBC = _libc()


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def watch_me() -> None:
    """Ask the parent to trace this process, and stop at the calls of the table from now on."""
    _request(_TRACEME, 0, 0)
    os.kill(os.getpid(), 19)  # SIGSTOP: the parent sets its options
    numbers = sorted(NUMBERS)
    lines = [struct.pack("HBBI", 0x20, 0, 0, 0)]  # load the number of the call
    lines += [struct.pack("HBBI", 0x15, len(numbers) - at, 0, number) for at, number in enumerate(numbers)]
    lines += [struct.pack("HBBI", 0x06, 0, 0, _ALLOW), struct.pack("HBBI", 0x06, 0, 0, _TRACE)]
    program = _Program(len(lines), b"".join(lines))
    if _LIBC.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or _LIBC.prctl(_SET_SECCOMP, _FILTER_MODE, ctypes.byref(program)):
        raise OSError(ctypes.get_errno(), "no seccomp filter")


def follow(process: int) -> None:
    """Trace the children and threads of a stopped process too."""
    _request(_SETOPTIONS, process, _OPTIONS)


def go_on(process: int, signal: int = 0, *, until_return: bool = False) -> None:
    """Let a stopped process run: to its next call of the table, or until this call returns."""
    _request(_SYSCALL if until_return else _CONT, process, signal)


def _request(kind: int, process: int, data: object) -> None:
    if _LIBC.ptrace(kind, process, None, data) < 0 and (code := ctypes.get_errno()) != 3:  # it may have ended
        raise OSError(code, os.strerror(code))


@dataclass(frozen=True)
class Call:
    """A call that a stopped process is about to make."""

    process: int
    _registers: ctypes.Array[ctypes.c_ulong]

    @property
    def name(self) -> str:
        """The name of the call."""
        return NUMBERS[self._registers[_CALL]]

    @property
    def bytes(self) -> int:
        """The number of bytes to write."""
        return self._argument(2) if self.name in WRITES else 0

    def _argument(self, place: int) -> int:
        return int(self._registers[_ARGUMENTS[place]])

    def changes(self, folder: str) -> bool:
        """Whether it changes something in the folder, which is the current one of the process or above it."""
        if self.name in {"open", "openat"} and not self._argument(1 + (self.name == "openat")) & _CHANGES:
            return False
        return self._path().startswith(folder)

    def _path(self) -> str:
        """The path that it changes, from the root."""
        if self.name in _OF_HANDLES or self.name == "copy_file_range":
            return self._link(f"fd/{self._argument(2 if self.name == 'copy_file_range' else 0)}")
        near = self.name in _OF_FOLDER_HANDLES
        base = ctypes.c_int(self._argument(0)).value if near else _AT_FDCWD
        if self.name.startswith("symlink"):
            near, base = True, _AT_FDCWD
        folder = self._link("cwd") if base == _AT_FDCWD else self._link(f"fd/{base}")
        return os.path.join(folder, self._text(self._argument(int(near))))  # noqa: PTH118  a text of another process

    def _link(self, name: str) -> str:
        try:
            return str(Path(f"/proc/{self.process}", name).readlink())
        except OSError:  # a handle that is not open
            return ""

    def _text(self, address: int) -> str:
        if not address:
            return ""
        with open(f"/proc/{self.process}/mem", "rb", buffering=0) as memory:  # noqa: PTH123
            memory.seek(address)
            data = b""
            while b"\0" not in data and len(data) < 4096:
                data += memory.read(256)
        return os.fsdecode(data.split(b"\0")[0])

    def refuse(self, code: int) -> None:
        """Make the call fail."""
        self._registers[_CALL] = ctypes.c_ulong(-1).value
        self._registers[_RESULT] = ctypes.c_ulong(-code).value
        _request(_SETREGS, self.process, self._registers)

    def shorten(self, size: int) -> None:
        """Make a write stop after so many bytes."""
        self._registers[_ARGUMENTS[2]] = size
        _request(_SETREGS, self.process, self._registers)


def call_of(process: int) -> Call:
    """The call that a process is stopped at."""
    registers = (ctypes.c_ulong * 27)()
    _request(_GETREGS, process, registers)
    return Call(process, registers)
