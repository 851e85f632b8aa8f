"""Kill a service at random moments of a week: acknowledged changes must be stored, and nothing may be duplicated.

The week has three parts: the worker imports an issue and ranks it through the queue, the app saves decisions and
publishes report issues, and the weekly job sends mail. One process runs the code of all three, in this order. It gets
SIGKILL at a random moment of one part and is restarted until the week is complete. With PostgreSQL, the server is a
fourth kind of process to kill. The next kill always hits the kind with the fewest kills so far. After each kill, the
log is compared with the acknowledged changes. After each week, the delivered mails are counted.
"""

import argparse
import math
import os
import random
import shutil
import signal
import socket
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from datetime import date, timedelta
from itertools import pairwise
from mmap import mmap
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from sqlalchemy import text

from presort.data import catalogue
from presort.data.demo import make_world
from presort.data.editing import decisions, publications
from presort.data.editing.pending import pending
from presort.data.editing.skipping import skip
from presort.data.errors import DataError
from presort.data.harvest.polite import Clock
from presort.data.intake.commit_import import commit_import
from presort.data.mail import mailings
from presort.data.mail.editors import set_address
from presort.data.mail.readers import add_readers
from presort.data.records import Decision, Editorship, ListedPaper
from presort.data.running import people, service
from presort.data.running.health import examine
from presort.data.running.moves import move_to_server
from presort.data.store import Store, open_store
from presort.desk import settings
from presort.desk.importing import import_job
from presort.desk.importing.uploads import ImportRequest, Upload
from presort.desk.jobs import worker
from presort.desk.jobs.queue import JobQueue
from presort.desk.service import workflow
from presort.desk.service.rankers import known_rankers_of
from presort.desk.settings import Delivery, MailServer, Week
from presort.desk.weekly.job import WeeklyRun, day_of_week, run
from presort.desk.weekly.steps import STEPS
from tests.postgresql_server import Server, serving

RANKER = "krichel-2007"  # fast to train
FILE = "week.csv"
N_DECIDED, N_READERS = 20, 5  # numbers of papers with a decision and of readers, for each report
# exit codes of the process that runs a week; AWAY means that the database server can't be reached
DONE, BUG, AWAY = 0, 1, 3
N_TRIES = 4  # maximum number of runs of the weekly job
PARTS = ("worker", "app", "weekly job")  # parts of a week, in order
DATABASE = "database"
PATIENCE = 600  # seconds that a week without kills may take on a busy machine


class Service(NamedTuple):
    """State of a service at the start of a week."""

    workspace: Path
    listings: list[ListedPaper]
    newest: date
    reports: list[str]


class Kill(NamedTuple):
    """Moment of a kill: a part of the week, seconds after its start, and a flag for killing the database server."""

    part: str
    seconds: float
    is_of_server: bool


def main() -> None:
    """Print how often each kind of process was killed, and which faults were found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=200, help="Number of kills of each kind of process.")
    parser.add_argument(
        "--minutes",
        type=float,
        default=math.inf,
        help="Start no new week after this time. The default is no limit.",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--postgresql", action="store_true", help="Use a new PostgreSQL server instead of SQLite.")
    asked = parser.parse_args()
    dice = random.Random(asked.seed)
    with tempfile.TemporaryDirectory() as folder, _mail_server(Path(folder) / "mails") as (port, mails):
        begun = _service(Path(folder) / "begun")
        with serving(is_safe=True) if asked.postgresql else nullcontext() as server:
            _walk(begun, Path(folder), port, mails, server, dice, asked)


def _walk(
    begun: Service,
    folder: Path,
    port: int,
    mails: Path,
    server: Server | None,
    dice: random.Random,
    asked: argparse.Namespace,
) -> None:
    lengths, n_weeks, wrong = dict.fromkeys(PARTS, 0.0), 0, list[str]()
    killed = dict.fromkeys(PARTS if server is None else (*PARTS, DATABASE), 0)
    until = time.monotonic() + 60 * asked.minutes
    while not n_weeks or (min(killed.values()) < asked.moments and time.monotonic() < until):
        mails.write_bytes(b"")
        week = _Week(begun, folder / f"week{n_weeks}", port, server, n_weeks)
        if not n_weeks:  # the first week runs without kills, to measure its parts
            lengths = week.measure()
        else:
            while ended := week.go_on(kill := _next_kill(killed, lengths, dice)):
                killed[ended] += 1
                lengths[kill.part] *= 1.1
                wrong += week.faults()
            lengths[kill.part] *= 0.8  # the week ended before the kill, because the speed of a busy machine varies
        wrong += week.faults() + week.faults_at_the_end() + week.wrong_mails(mails)
        n_weeks += 1
        sys.stderr.write(f"\r{n_weeks} weeks, killed {killed}, {len(wrong)} faults ")
    print(f"{n_weeks} weeks, each with {', '.join(f'{seconds:.1f} s of {part}' for part, seconds in lengths.items())}")
    print(f"killed: {', '.join(f'{kind} {n}' for kind, n in killed.items())}; {len(wrong)} faults")
    for fault in wrong[:20]:
        print(fault)


def _next_kill(killed: Mapping[str, int], lengths: Mapping[str, float], dice: random.Random) -> Kill:
    """Choose a random moment for the kind of process with the fewest kills."""
    kind = min(killed, key=lambda one: killed[one])
    part = dice.choice(PARTS) if kind == DATABASE else kind
    return Kill(part, dice.uniform(0, lengths[part]), kind == DATABASE)


class _Week:
    """A single week, which runs in its own workspace."""

    def __init__(self, begun: Service, folder: Path, port: int, server: Server | None, number: int) -> None:
        self.begun, self.folder, self.port, self.server = begun, folder, port, server
        self.url, self.acknowledged = "", folder.with_suffix(".acknowledged")
        self.part = mmap(-1, 1)  # shared with the child: index of the part that it has reached
        shutil.copytree(begun.workspace, folder)
        self.acknowledged.write_bytes(b"")
        if server is not None:
            self.url = f"{server.url}&options=-csearch_path%3Dweek{number}"
            with closing(open_store(folder.with_suffix(".first"), server.url)) as store, store.engine.begin() as made:
                made.exec_driver_sql(f"CREATE SCHEMA week{number}")
            move_to_server(folder, self.url)

    def measure(self) -> dict[str, float]:
        """Run the week without kills. Returns the seconds of each part."""
        child, began = self._start(), time.monotonic()
        starts = [began]
        while not self._has_ended(child):
            if self.part[0] == len(starts):
                starts.append(time.monotonic())
            if time.monotonic() > began + PATIENCE:
                raise RuntimeError("the week takes too long")
        starts.append(time.monotonic())
        return {part: end - start for part, (start, end) in zip(PARTS, pairwise(starts), strict=True)}

    def go_on(self, kill: Kill) -> str:
        """Continue the week until a kill. Returns the kind of process killed, or "" if the week is complete."""
        child, ends = self._start(), math.inf
        while time.monotonic() < ends:
            if self._has_ended(child):
                return ""
            if ends == math.inf and self.part[0] >= PARTS.index(kill.part):
                ends = time.monotonic() + kill.seconds
        if kill.is_of_server and self.server is not None:
            self.server.kill()
            _, status = os.waitpid(child, 0)
            self.server.start()
            if os.waitstatus_to_exitcode(status) not in (DONE, AWAY):
                raise RuntimeError("the process did not end with an error that the server can't be reached")
            return DATABASE
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return PARTS[self.part[0]]

    def _start(self) -> int:
        self.part[0] = 0
        child = os.fork()
        if not child:
            self._live()
        return child

    def _has_ended(self, child: int) -> bool:
        """Return True if the child process has completed the week. Otherwise, wait 2 ms and return False."""
        ended, status = os.waitpid(child, os.WNOHANG)
        if status:
            raise RuntimeError(f"the week ended with {status}")
        if not ended:
            time.sleep(0.002)
        return bool(ended)

    def faults(self) -> list[str]:
        """Return the acknowledged decisions and report issues that are missing or stored twice."""
        entries = self.acknowledged.read_text().split()
        with closing(open_store(self.folder, self.url)) as store, store.reading() as connection:
            query = text("SELECT client_id FROM decision WHERE client_id IS NOT NULL")
            logged = Counter(connection.execute(query).scalars())
            query = text("SELECT r.code, count(*) FROM report_issue t JOIN report r ON r.id = t.report_id"
                         " JOIN issue i ON i.id = t.issue_id WHERE i.date = :day GROUP BY r.code")  # fmt: skip
            published: dict[str, int] = dict(connection.execute(query, {"day": self.begun.newest.isoformat()}).all())
        found = logged | Counter(published)
        return [f"{self.folder.name}: {one} is stored {found[one]} times" for one in entries if found[one] != 1] + [
            f"{self.folder.name}: {one} is stored {n} times" for one, n in logged.items() if n != 1
        ]

    def faults_at_the_end(self) -> list[str]:
        """Return further faults that can be found only in a completed week."""
        left = [f"{self.folder.name}: {problem}" for problem in examine(self.folder, self.url).problems]
        with closing(open_store(self.folder, self.url)) as store:
            if (n := sum(one.file == FILE for one in service.imports(store))) != 1:
                left.append(f"{self.folder.name}: the log contains the import {n} times")
        expected = len(self.begun.reports) * (N_DECIDED + 1)
        n_acknowledged = len(set(self.acknowledged.read_text().split()))
        return left + (
            [] if n_acknowledged == expected else [f"{self.folder.name}: {n_acknowledged} of {expected} acknowledged"]
        )

    def wrong_mails(self, mails: Path) -> list[str]:
        """Return duplicate mails, and readers who got no mail even though delivery isn't marked as unknown."""
        got = Counter(mails.read_text().splitlines())
        twice = [f"{self.folder.name}: {mail} arrived {n} times" for mail, n in got.items() if n > 1]
        with closing(open_store(self.folder, self.url)) as store:
            unsure = {one.address for one in mailings.unsure_mailings(store)}
        reached = {mail.partition(" ")[0] for mail in got} | unsure
        readers = {address for report in self.begun.reports for address in _addresses(report)}
        return twice + [f"{self.folder.name}: {address} got no mail" for address in sorted(readers - reached)]

    def _live(self) -> None:
        """Run the rest of the week in the child process, and then exit."""
        code = BUG
        try:
            with self.acknowledged.open("a") as acknowledged:
                _live(self, lambda one: print(one, file=acknowledged, flush=True))
            code = DONE
        except DataError as error:
            code = AWAY if "can't be reached" in str(error) else BUG
            sys.stderr.write(f"\n{error}\n")
        except Exception:  # noqa: BLE001  (the exit code reports it to the parent)
            traceback.print_exc()
        finally:
            os._exit(code)


def _live(week: _Week, acknowledge: Callable[[str], None]) -> None:
    begun, day = week.begun, week.begun.newest
    os.environ[settings.DATABASE] = week.url
    with closing(open_store(week.folder, week.url)) as store:
        _bring(begun, week.folder, store)
        week.part[0] = PARTS.index("app")
        papers = [paper.paper_id for paper in catalogue.papers(store, day)][:N_DECIDED]
        for report in begun.reports:
            published_issue = day in publications.published(store, report)
            for place, paper in enumerate(papers):
                one = f"{report}-{place}"
                if not published_issue:
                    decisions.decide(store, [Decision(report, day, paper, "no" if place % 3 else "yes", "Ann", one)])
                acknowledge(one)
            if not published_issue:
                workflow.publish_report_issue(store, report, day, None, person="Ann")
            acknowledge(report)
        week.part[0] = PARTS.index("weekly job")
        server = MailServer("127.0.0.1", "reports@example.org", week.port, has_starttls=False)
        today = day + timedelta(days=1)
        # Weekly delivery sends mail without waiting for the undo period.
        week_settings = Week(director="dee@example.org", delivery=Delivery("weekly"))
        job = WeeklyRun(store, day_of_week(store, today), today, week_settings, server, Clock())
        # An interrupted step reports a failure once. Running the same command again resumes the step.
        for _ in range(N_TRIES):
            failed = [step.message for step in run(job, STEPS) if step.state == "failed"]
            if not failed:
                return
        raise DataError("; ".join(failed))


def _bring(begun: Service, folder: Path, store: Store) -> None:
    """Import and rank the issue. Jobs queued before a kill are not queued again."""
    jobs = JobQueue(folder)
    while jobs.active_jobs() or not _is_sorted(begun, store):
        if not jobs.active_jobs():
            if begun.newest not in {issue.date for issue in catalogue.issues(store)}:
                request = ImportRequest((Upload("", FILE),), None, (), keeps_going=False, is_matched=True)
                job = import_job.job_request(request, is_trial=False)
                jobs.put("import", job, person="Dee", files=[(FILE, _file(begun.listings))])
            jobs.put("rank", {"reports": begun.reports}, person="Dee")
        worker.work(folder, str(os.getpid()))


def _is_sorted(begun: Service, store: Store) -> bool:
    pending_issues = [one for one in pending(store, begun.reports, today=begun.newest) if one.issue == begun.newest]
    n_settled = len(pending_issues) + sum(begun.newest in publications.published(store, one) for one in begun.reports)
    return n_settled == len(begun.reports) and all(known_rankers_of(store, pending_issues).values())


def _file(listings: list[ListedPaper]) -> bytes:
    table = pd.DataFrame(
        [
            (one.paper.paper_id, one.paper.title, one.paper.abstract, "; ".join(one.paper.authors), str(one.issue))
            for one in listings
        ],
        columns=["paper_id", "title", "abstract", "authors", "issue"],
    )
    return table.to_csv(index=False).encode()


def _service(folder: Path) -> Service:
    """Create a service with eleven reports and their readers. Its newest issue has not been imported yet."""
    listings = make_world(seed=3, n_issues=6, papers_per_issue=40).listings
    newest = listings[-1].issue
    with closing(open_store(folder)) as store:
        commit_import(store, [one for one in listings if one.issue < newest], person="import")
        service.set_rankers(store, RANKER, [], person="Dee")
        reports = [report.code for report in catalogue.reports(store)]
        for report in reports:
            people.add_editorship(store, Editorship(report, "Ann", date(2000, 1, 1)), person="Dee")
            add_readers(store, report, [(address, "") for address in _addresses(report)], person="Dee")
        set_address(store, "Ann", "ann@example.org")
        _pass_over(store, reports, newest)
    return Service(folder, [one for one in listings if one.issue == newest], newest, reports)


def _addresses(report: str) -> list[str]:
    return [f"{report}{number}@example.org" for number in range(N_READERS)]


def _pass_over(store: Store, reports: list[str], newest: date) -> None:
    for one in pending(store, reports, today=newest):
        skip(store, one.report, one.issue, person="Dee")


class _Noting:
    """Mail server that writes the recipient and subject of each mail to a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Write the recipients and the subject to the file, and accept the mail."""
        content = envelope.content or b""
        lines = (content if isinstance(content, bytes) else content.encode()).decode(errors="replace").splitlines()
        subject = next((line for line in lines if line.startswith("Subject:")), "")
        with self.path.open("a") as file:
            file.writelines(f"{address} {subject}\n" for address in envelope.rcpt_tos)
        return "250 OK"


@contextmanager
def _mail_server(mails: Path) -> Iterator[tuple[int, Path]]:
    """Run the mail server in a separate process, because a process with threads can't be forked safely."""
    mails.write_bytes(b"")
    ready, port_pipe = os.pipe()
    child = os.fork()
    if not child:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        Controller(_Noting(mails), hostname="127.0.0.1", port=port).start()
        os.write(port_pipe, str(port).encode())
        signal.pause()
        os._exit(0)
    try:
        yield int(os.read(ready, 10)), mails
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
