"""How a check grows with the system: dining philosophers at k = 1, all default properties and survival.

python -m bench growth [MOST] [--svg PATH]

Each number of philosophers from 4 to MOST (8) is checked in a process of its own. Reported are
configurations and seconds of processor time; `--svg` draws them. Up to six are also explored whole.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from pathlib import Path

CHILD = """
import json, resource, sys
from stormproof.search.checks.api import check
from stormproof.search.engine.k_properties import explore
from stormproof.kernel.model.failures import Failures
from stormproof.languages.protocols.generators.rings import dining_philosophers

def used():
    now = resource.getrusage(resource.RUSAGE_SELF)
    return now.ru_utime + now.ru_stime

n = int(sys.argv[1])
system = dining_philosophers(n)
found = {}
for names in (["recovers", "clean"], ["k-exh", "k-er", "k-pg", "k-mc", "k-wmc"], ["rsc"]):
    before = used()
    report = check(system, k=1, properties=names)
    assert all(v.holds is not None for v in report.verdicts), report
    found[names[0]] = report.verdicts[0].states, used() - before
if n <= 6:
    whole = explore(system, Failures().on(system), 1, properties=["k-exh"], reduction=False, symmetry=False)
    found["whole"] = whole.states, 0.0
found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps(found))
"""

SERIES = {
    "whole": ("every configuration", "#888"),
    "rsc": ("RSC, with symmetry", "#b4530a"),
    "recovers": ("survival, reduced", "#1b6e3c"),
    "k-exh": ("k-properties, reduced", "#1f5fa8"),
}
Figures = dict[int, dict[str, tuple[int, float]]]


def measure(most: int) -> Figures:
    figures: Figures = {}
    print(f"{'n':>3} {'whole':>12} {'k-properties':>16} {'survival':>18} {'RSC':>18} {'MiB':>7}")
    for n in range(4, most + 1):
        done = subprocess.run(
            [sys.executable, "-c", CHILD, str(n)], check=True, capture_output=True, text=True
        )
        found = json.loads(done.stdout)
        memory = found.pop("memory") // 1024
        figures[n] = {name: (int(count), float(seconds)) for name, (count, seconds) in found.items()}
        cells = [f"{c:,} in {s:.1f} s" for c, s in (figures[n][x] for x in ("k-exh", "recovers", "rsc"))]
        whole = f"{figures[n]['whole'][0]:,}" if "whole" in figures[n] else ""
        print(f"{n:>3} {whole:>12} {cells[0]:>16} {cells[1]:>18} {cells[2]:>18} {memory:>7}", flush=True)
    return figures


def draw(figures: Figures) -> str:
    """Configurations on a logarithmic scale over the number of philosophers."""
    width, height, left, bottom = 640, 380, 70, 40
    numbers = sorted(figures)
    top = math.ceil(math.log10(max(c for row in figures.values() for c, _ in row.values())))

    def at(n: int, count: float) -> tuple[float, float]:
        x = left + (n - numbers[0]) / max(1, numbers[-1] - numbers[0]) * (width - left - 190)
        return x, height - bottom - (math.log10(count) - 1) / (top - 1) * (height - bottom - 20)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"',
        '  font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for power in range(1, top + 1):
        x, y = at(numbers[0], 10**power)
        end = at(numbers[-1], 10)[0]
        parts.append(f'<line x1="{x:.0f}" y1="{y:.0f}" x2="{end:.0f}" y2="{y:.0f}" stroke="#ddd"/>')
        parts.append(f'<text x="{x - 8:.0f}" y="{y + 4:.0f}" text-anchor="end">{10**power:,}</text>')
    for n in numbers:
        x, y = at(n, 10)
        parts.append(f'<text x="{x:.0f}" y="{y + 18:.0f}" text-anchor="middle">{n}</text>')
    middle = (left + width - 190) / 2
    parts.append(f'<text x="{middle:.0f}" y="{height - 6}" text-anchor="middle">philosophers (k = 1)</text>')
    for name, (label, colour) in SERIES.items():
        points = [at(n, figures[n][name][0]) for n in numbers if name in figures[n]]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
        x, y = points[-1]
        parts.append(f'<text x="{x + 8:.0f}" y="{y + 4:.0f}" fill="{colour}">{label}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench growth")
    parser.add_argument("most", nargs="?", type=int, default=8)
    parser.add_argument("--svg", type=Path)
    chosen = parser.parse_args()
    figures = measure(chosen.most)
    if chosen.svg:
        chosen.svg.write_text(draw(figures), encoding="utf-8")


if __name__ == "__main__":
    main()
