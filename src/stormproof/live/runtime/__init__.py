"""The same role functions, running: networks, storms, logs, and what survives a restart.

Machine(role)                               a role without a network and without a clock
await run(role, network, name="Sender")     drive a role until it ends
MemoryNetwork(), TcpNetwork(addresses)      FIFO per pair of roles
FaultyNetwork(network, failures, seed)      either of them, made unreliable
"""

from .faulty import FaultyNetwork
from .inbox import Inbox, Network
from .machine import Machine, MachineOutput, RunningTimer, ToLog, ToSave, ToSend
from .memory import MemoryNetwork
from .runner import STOPPED, Runner, run
from .tcp import TcpNetwork
from .tcp_limits import TcpLimits

__all__ = [
    "STOPPED",
    "FaultyNetwork",
    "Inbox",
    "Machine",
    "MachineOutput",
    "MemoryNetwork",
    "Network",
    "Runner",
    "RunningTimer",
    "TcpLimits",
    "TcpNetwork",
    "ToLog",
    "ToSave",
    "ToSend",
    "run",
]
