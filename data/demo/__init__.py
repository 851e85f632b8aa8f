"""Demo data: invented papers, reports and selections, generated from a seed without network access."""

from presort.data.demo.world import DemoReport, World, make_world

__all__ = ["DemoReport", "World", "make_world"]
