"""Clock that tests can set for all of `data` and `desk`."""

import datetime
import sys
from dataclasses import dataclass

import pytest


@dataclass
class Clock:
    """Clock returned by `datetime.now` and `date.today` in the code under test.

    `now` has a time zone. Tests assign it.
    """

    now: datetime.datetime

    def move(self, **by: float) -> None:
        """Move the clock by a time span, such as ``days=-1``."""
        self.now += datetime.timedelta(**by)

    def install(self, patch: pytest.MonkeyPatch) -> "Clock":
        """Make all loaded modules of the product use this clock."""
        clock = self

        class SameKind(type):
            def __instancecheck__(cls, one: object) -> bool:
                return isinstance(one, cls.__bases__[0])

        class Moment(datetime.datetime, metaclass=SameKind):
            @classmethod
            def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:
                return clock.now.astimezone(tz)

        class Day(datetime.date, metaclass=SameKind):
            @classmethod
            def today(cls) -> datetime.date:
                return clock.now.date()

        for name, module in list(sys.modules.items()):
            if name.startswith(("presort.data.", "presort.desk.")):
                for attribute, kind, replaced in (
                    ("datetime", datetime.datetime, Moment),
                    ("date", datetime.date, Day),
                ):
                    if vars(module).get(attribute) is kind:
                        patch.setattr(module, attribute, replaced)
        return self
