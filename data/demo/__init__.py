"""A made-up world to try Presort in: papers, reports and selections, all from a seed; no network, no real data."""

from presort.data.demo.world import DemoReport, World, make_world

__all__ = ["DemoReport", "World", "make_world"]
