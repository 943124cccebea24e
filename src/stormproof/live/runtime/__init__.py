"""The same role functions, running: networks, storms, logs, and what survives a restart.

await run(role, network, name="Sender")     drive a role until it ends
MemoryNetwork(), TcpNetwork(addresses)      FIFO per pair of roles
FaultyNetwork(network, failures, seed)      either of them, made unreliable
"""

from .faulty import FaultyNetwork
from .inbox import Inbox, Network
from .memory import MemoryNetwork
from .runner import STOPPED, Runner, run
from .tcp import TcpNetwork
from .tcp_limits import TcpLimits

__all__ = [
    "STOPPED",
    "FaultyNetwork",
    "Inbox",
    "MemoryNetwork",
    "Network",
    "Runner",
    "TcpLimits",
    "TcpNetwork",
    "run",
]
