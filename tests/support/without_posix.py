"""A command in a Python that lacks what Windows lacks: `python tests/support/without_posix.py ARGUMENTS`.

What the libraries need of it is loaded before. This is no Windows: paths, consoles and processes are those
of the system.
"""

import asyncio
import multiprocessing
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import types

import click._compat
import rich.console

LOADED = (asyncio, multiprocessing, selectors, shutil, socket, subprocess, tempfile, threading, click, rich)

MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty")
OF_OS = """
    chown fchmod fchown fork geteuid getgid getloadavg getpgid getuid killpg mkfifo pidfd_open pipe2
    pread pwrite register_at_fork sched_getaffinity setsid statvfs sync sysconf
    sysconf_names uname wait4 waitid O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK WNOHANG
"""
OF_SIGNAL = """alarm getitimer pause pthread_sigmask setitimer siginterrupt sigpending sigwait ITIMER_REAL
    SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGQUIT SIGTSTP SIGUSR1 SIGUSR2 SIGXCPU"""


def hide() -> None:
    for module in MODULES:
        sys.modules[module] = None  # type: ignore[assignment]
    for home, names in ((os, OF_OS), (signal, OF_SIGNAL)):
        for name in names.split():
            if hasattr(home, name):
                delattr(home, name)
    locks = types.ModuleType("msvcrt")
    locks.locking = lambda handle, mode, size: None  # type: ignore[attr-defined]
    locks.LK_NBLCK = 2  # type: ignore[attr-defined]
    sys.modules["msvcrt"] = locks
    sys.platform = "win32"


if __name__ == "__main__":
    hide()
    from stormproof_command import main

    main()
