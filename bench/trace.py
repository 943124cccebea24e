"""`python -m bench trace`: how long it takes to compare long logs with a protocol, and in how much memory.

The logs are those of a client that numbers its questions 0 and 1 and asks again when its timer runs out, and
of a server that answers; one question in a hundred is lost. Reading and comparing are measured apart.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
import time
from pathlib import Path

import stormproof as sp
from stormproof.live.conformance.log import RoleLog
from stormproof.live.conformance.read_log import read_logs

PROTOCOL = """
role Client { ask0: Server!ask0 -> wait0
              wait0: Server?answer0 -> ask1
                     timeout -> ask0
              ask1: Server!ask1 -> wait1
              wait1: Server?answer1 -> ask0
                     timeout -> ask1 }
role Server { idle: Client?ask0 -> busy0
                    Client?ask1 -> busy1
              busy0: Client!answer0 -> idle
              busy1: Client!answer1 -> idle }
"""


def write_logs(folder: Path, events: int, lost: float, rng: random.Random) -> list[Path]:
    """The logs of a run with about so many events."""
    paths = [folder / "Client.ndjson", folder / "Server.ndjson"]
    with paths[0].open("w") as client, paths[1].open("w") as server:

        def log(file: object, role: str, do: str, peer: str = "", message: str = "") -> None:
            row = {"role": role, "do": do, "peer": peer, "message": message, "time": rng.random() * 1e9}
            print(json.dumps(row), file=file)  # type: ignore[call-overload]

        written = bit = 0
        while written < events:
            log(client, "Client", "send", "Server", f"ask{bit}")
            if rng.random() < lost:
                log(client, "Client", "timeout")
                written += 2
                continue
            log(server, "Server", "receive", "Client", f"ask{bit}")
            log(server, "Server", "send", "Client", f"answer{bit}")
            log(client, "Client", "receive", "Server", f"answer{bit}")
            written += 4
            bit = 1 - bit
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--lost", type=float, default=0.01)
    options = parser.parse_args()
    system = sp.loads(PROTOCOL)
    for events in options.events:
        with tempfile.TemporaryDirectory() as folder:
            paths = write_logs(Path(folder), events, options.lost, random.Random(1))
            started = time.process_time()
            logs: list[RoleLog] = read_logs(paths)
            read = time.process_time()
            answer = sp.trace(system, logs, sp.Failures(loss=True))
            done = time.process_time()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{sum(len(log) for log in logs):>9,} events: read in {read - started:.2f} s, compared in "
            f"{done - read:.2f} s ({(done - read) / answer.events * 1e6:.1f} µs per event), "
            f"{len(answer.faults):,} faults, conforms: {answer.conforms}, peak {peak:.0f} MiB",
            flush=True,
        )


if __name__ == "__main__":
    main()
