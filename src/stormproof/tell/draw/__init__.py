"""Pictures: message sequence charts, automata, conflict graphs and the report page.

A chart is data first (`chart`), and each renderer reads that data: text for the terminal, SVG, Mermaid.
"""

from __future__ import annotations
