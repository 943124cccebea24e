"""The two stores: bytes and processor time for each configuration, on philosophers explored whole.

python -m bench store [MOST] [--threads N] [--asked NAME ...]

From 4 to MOST (7) dining philosophers, k = 1, neither reduction nor symmetry: a requirement that holds
(`apart`: no two neighbours ever eat at the same time), with a left-handed one `recovers` and `clean`
(`recovers`), and `k-exh`, `k-er` and `k-pg` (`bounded`), under loss and with a left-handed one as well
(`lossy`, five philosophers at most). The ordinary store is left out from eight on, where survival needs
25 GB. Nine have more than a thousand million configurations: `python -m bench store 9 --asked apart` takes
an hour or two, and 15 GiB of memory.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys

CHILD = """
import json, resource, sys, time
from stormproof.search.engine.k_properties import explore
from stormproof.search.engine.survival import survey
from stormproof.limits import Limits
from stormproof.kernel.model.ask import RECOVERS, Ask, clean
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.goal import And, At, Or
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.languages.protocols.generators.rings import dining_philosophers

def used():
    now = resource.getrusage(resource.RUSAGE_SELF)
    return now.ru_utime + now.ru_stime

asked, n, threads, compact = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "compact"
system = dining_philosophers(n, left_handed=asked in ("recovers", "lossy"))
model = SurvivalModel(system, Failures(loss=asked == "lossy").on(system), rest_states(system))
pairs = [(f"Philosopher{i}", f"Philosopher{i % n + 1}") for i in range(1, n + 1)]
apart = Ask(False, Or(tuple(And((At(a, ("eating",)), At(b, ("eating",)))) for a, b in pairs)))
asks = {"recovers": RECOVERS, "clean": clean(system, model.rest)} if asked == "recovers" else {"apart": apart}
whole = dict(
    limits=Limits(seconds=None, memory="20GiB"),
    threads=threads, compact=compact, reduction=False, symmetry=False,
)
before, started = used(), time.monotonic()
if asked in ("bounded", "lossy"):
    found = explore(system, model.failures, 1, properties=["k-exh", "k-er", "k-pg"], **whole)
    holds, states = found.holds["k-exh"], found.states
else:
    found = survey(model, asks, 1, **whole)
    holds, states = all(answer.holds for answer in found.answers.values()), found.configurations
assert holds and not found.stopped and found.compact == compact, found
print(json.dumps({
    "states": states,
    "cpu": used() - before,
    "seconds": time.monotonic() - started,
    "bytes": found.memory / states,
    "resident": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}))
"""

ASKED = ("apart", "recovers", "bounded", "lossy")

#: The ordinary store would need more memory than most machines have.
MOST_ORDINARY = 7

#: Where messages may be lost, the configurations become twenty times as many with each philosopher.
MOST_LOSSY = 5


def measure(asked: str, most: int, threads: int) -> None:
    print(f"{asked}\n  n     store  configurations  bytes    us    cpu s        s     MiB")
    for n in range(4, min(most, MOST_LOSSY if asked == "lossy" else most) + 1):
        counts = set()
        for store in ("ordinary", "compact") if n <= MOST_ORDINARY else ("compact",):
            command = [sys.executable, "-c", CHILD, asked, str(n), str(threads), store]
            row = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            counts.add(row["states"])
            print(
                f"{n:>3} {store:>9} {row['states']:>15,} {row['bytes']:>6.1f}"
                f" {row['cpu'] / row['states'] * 1e6:>5.2f} {row['cpu']:>8.1f} {row['seconds']:>8.1f}"
                f" {row['resident']:>7.0f}",
                flush=True,
            )
        assert len(counts) == 1, f"{n} philosophers: {sorted(counts)}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench store")
    parser.add_argument("most", nargs="?", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--asked", nargs="*", choices=ASKED, default=ASKED)
    chosen = parser.parse_args()
    for asked in chosen.asked:
        measure(asked, chosen.most, chosen.threads)


if __name__ == "__main__":
    main()
