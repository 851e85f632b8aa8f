"""Load test of the desk: many signed-in editors on one server, each with a decision every two seconds.

Copies a workspace and adds the requested number of editors, at least one per report. Like a browser, each editor opens
the newest issue through a websocket. The editor then decides on a paper every two seconds, and polls for other editors'
decisions every two seconds, through the channel that the page opened. One editor uses a real browser. Afterwards, the
log must contain every acknowledged decision exactly once. With `--nginx`, all connections go through nginx and TLS,
configured as in the folder `deploy`. With `--postgresql`, a new PostgreSQL server runs the database.

    python -m benchmarks.editors WORKSPACE --editors 50 --minutes 5 [--postgresql] [--nginx]

The newest issue of the workspace should be pending and ranked, because stop advice takes longest for unread lists. Run
`presort learn` first, because otherwise models are trained during the measurement.
"""

import argparse
import asyncio
import json
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from datetime import UTC, date, datetime
from pathlib import Path
from socket import socket
from ssl import CERT_NONE, SSLContext, create_default_context
from subprocess import PIPE, Popen
from time import perf_counter
from typing import Any
from uuid import uuid4

import numpy as np
from httpx import AsyncClient, ReadTimeout
from playwright.async_api import async_playwright
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value, generate_xsrf_token_string
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME, XSRF_COOKIE_NAME
from websockets.asyncio.client import ClientConnection, connect

from presort.data import catalogue
from presort.data.editing import log, publications
from presort.data.learning.rankings import newest_rankings
from presort.data.records import Editorship, Identity, StoredRanking
from presort.data.running import accounts, people
from presort.data.running.moves import move_to_server
from presort.data.store import Store, open_store
from presort.desk import settings
from presort.desk.web import launch, token_door
from tests.desk.deploy import nginx_server
from tests.postgresql_server import serving

CHROMIUM = "/usr/bin/chromium-headless-shell"
ISSUER = "https://id.example.org"
EVERY = 2.0  # seconds between an editor's decisions
DEBOUNCE, POLL, PATIENCE = 0.2, 1.5, 4.0  # seconds, as in desk/components/browser/outbox.js


class Editor:
    """Simulated editor with a websocket connection to the desk."""

    def __init__(self, name: str, report: str, issue: date, papers: list[str], shown: StoredRanking | None) -> None:
        self.name, self.report, self.issue, self.papers, self.shown = name, report, issue, papers, shown
        self.acknowledged: list[str] = []
        self.seconds: list[float] = []
        self.refused: Counter[str] = Counter()
        self._channel = ""
        self._n, self._seen = 0, 0
        self._waiting: dict[str, tuple[float, dict[str, Any]]] = {}

    async def work(self, address: str, secret: str, start: asyncio.Barrier, seconds: float) -> None:
        """Open the list, wait until all editors have opened their lists, and make decisions for the given seconds."""
        token = generate_xsrf_token_string()
        cookies = f"{USER_COOKIE_NAME}={_sign_cookie(secret, address, self.name)}; {XSRF_COOKIE_NAME}={token}"
        async with connect(
            f"{address.replace('http', 'ws', 1)}/_stcore/stream",
            origin=address,  # type: ignore[arg-type]
            ssl=_tls(address),
            subprotocols=["streamlit", token],  # type: ignore[list-item]
            additional_headers={"Cookie": cookies},
            max_size=None,
        ) as line:
            await line.send(self._opening(address))
            hearing = asyncio.create_task(self._hear(line))
            while not self._channel:
                await asyncio.sleep(0.05)
            headers = {"Cookie": cookies, "Origin": address}
            client = AsyncClient(base_url=address, headers=headers, timeout=PATIENCE, verify=_tls(address) or True)
            await start.wait()
            until = perf_counter() + seconds
            await asyncio.sleep(np.random.default_rng([*self.name.encode()]).uniform(0, EVERY))
            sending = asyncio.create_task(self._keep_sending(client))
            for n, paper in enumerate(self.papers):
                if perf_counter() > until:
                    break
                self._decide(paper, "yes" if n % 5 == 0 else "no")
                await asyncio.sleep(EVERY)
            while self._waiting and perf_counter() < until + 30:
                await asyncio.sleep(0.1)
            for task in (hearing, sending):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            await client.aclose()

    @property
    def n_unanswered(self) -> int:
        """Number of decisions that the server hasn't acknowledged yet."""
        return len(self._waiting)

    def _opening(self, address: str) -> bytes:
        message = BackMsg()
        message.rerun_script.query_string = f"report={self.report}&issue={self.issue}"
        message.rerun_script.page_name = "review"
        message.rerun_script.context_info.url = f"{address}/review"
        opening: bytes = message.SerializeToString()
        return opening

    def _decide(self, paper: str, word: str) -> None:
        shown = ("presort", self.shown.id) if self.shown else ("list", None)
        entry = {"id": str(uuid4()), "kind": "decided", "paper": paper, "label": word, "alone": False}
        self._waiting[str(entry["id"])] = perf_counter(), entry | dict(zip(("order", "ranking"), shown, strict=True))

    async def _keep_sending(self, client: AsyncClient) -> None:
        """Send messages like a list in a browser: one at a time, soon after a decision, and at intervals to poll."""
        while True:
            began = perf_counter()
            while not self._waiting and perf_counter() < began + POLL:
                await asyncio.sleep(0.02)
            await asyncio.sleep(DEBOUNCE if self._waiting else 0)
            with suppress(ReadTimeout):  # the next message will contain the same decisions
                await self._send(client)

    async def _send(self, client: AsyncClient) -> None:
        """Send unacknowledged decisions like a list in a browser. Ignores other editors' decisions in the response."""
        self._n += 1
        sent = {"n": self._n, "seen": self._seen, "entries": [entry for _, entry in self._waiting.values()]}
        answer = await client.post(self._channel, json=sent)
        answer_object = answer.raise_for_status().json()
        self._seen = max(self._seen, answer_object["upTo"])
        self.refused.update(answer_object["refused"].values())
        for entry in (*answer_object["acknowledged"], *answer_object["refused"]):
            if entry in self._waiting:
                self.seconds.append(perf_counter() - self._waiting.pop(entry)[0])
        self.acknowledged += answer_object["acknowledged"]

    async def _hear(self, line: ClientConnection) -> None:
        async for got in line:
            message = ForwardMsg()
            message.ParseFromString(got if isinstance(got, bytes) else got.encode())
            component = message.delta.new_element.bidi_component
            if component.component_name == "presort_sync":
                answer_object = json.loads(component.json)
                self._channel, self._seen = answer_object["address"], answer_object["upTo"]


def _sign_cookie(secret: str, address: str, subject: str) -> str:
    """Return the cookie for a signed-in user, signed in the same way as Streamlit's cookies."""
    claims = {"iss": ISSUER, "sub": subject, "iat": datetime.now(UTC).timestamp(), "is_logged_in": True}
    return create_signed_value(secret, USER_COOKIE_NAME, json.dumps(claims | {"origin": address})).decode()


def _set_up(store: Store, n_editors: int) -> tuple[date, list[Editor]]:
    """Add editors to each report, and reopen the newest issue. Returns the issue and the editors."""
    issue = catalogue.issues(store)[-1].date
    codes = [report.code for report in catalogue.reports(store)]
    papers = [paper.paper_id for paper in catalogue.papers(store, issue)]
    for code in codes:
        if issue in publications.published(store, code):
            publications.reopen(store, code, issue, "Measured.", person="manage")
    editors = []
    for n in range(n_editors):
        name, code = f"Editor {n + 1}", codes[n % len(codes)]
        people.add_editorship(store, Editorship(code, name, date(2020, 1, 6)), person="manage")
        accounts.accept(store, accounts.invite(store, name, person="manage"), Identity(ISSUER, name))
        order = np.random.default_rng(n).permutation(len(papers))
        shown = next((one for one in newest_rankings(store, code, issue).values() if one.ranking.is_sorted), None)
        editors.append(Editor(name, code, issue, [papers[place] for place in order], shown))
    return issue, editors


def _tls(address: str) -> SSLContext | None:
    """Return TLS settings that accept the benchmark's certificate, or None for an address without TLS."""
    if not address.startswith("https:"):
        return None
    accepting = create_default_context()
    accepting.check_hostname, accepting.verify_mode = False, CERT_NONE
    return accepting


@contextmanager
def _serve_desk(workspace: Path, database: str, nginx_folder: Path | None) -> Iterator[tuple[str, Popen[str]]]:
    """Serve the desk, behind nginx if a folder for nginx is given. Yields the address for browsers, and the process."""
    with socket() as probe:
        probe.bind((launch.LOCALHOST, 0))
        port = probe.getsockname()[1]
    with (
        nullcontext(f"http://{launch.LOCALHOST}:{port}")
        if nginx_folder is None
        else _proxy(nginx_folder, port) as address
    ):
        own = {
            settings.DATABASE: database,
            "PRESORT_DESK_URL": address,
            "PRESORT_SIGN_IN_METADATA": "https://id.example.org/.well-known/openid-configuration",
            "PRESORT_SIGN_IN_CLIENT": "presort",
            "PRESORT_SIGN_IN_SECRET": "of-a-benchmark",
        }
        environment = {**settings.to_environment(settings.Settings(workspace)), **own}
        with Popen(launch.command(launch.LOCALHOST, port), env=environment, stdout=PIPE, text=True) as process:
            if process.stdout is None or not any("URL:" in line for line in process.stdout):
                sys.exit("The server did not start.")
            yield address, process
            process.terminate()


@contextmanager
def _proxy(folder: Path, port: int) -> Iterator[str]:
    """Run nginx as a proxy for the desk on the given port, with the host name localhost. Yields nginx's address."""
    nginx = nginx_server.Nginx(folder, port)
    configuration = folder / "nginx.conf"
    configuration.write_text(configuration.read_text().replace(nginx_server.DESK, "localhost"))
    with nginx.running():
        yield f"https://localhost:{nginx.secure}"


def _memory(process: Popen[str]) -> float:
    """Return the memory usage of a process in MB."""
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _processor_time(process: Popen[str]) -> float:
    """Return the seconds of CPU time that a process has used."""
    user, system = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


async def _browse(editor: Editor, address: str, secret: str, start: asyncio.Barrier, lasts: float) -> list[float]:
    """Make decisions in a real browser. Returns, for each key press, the seconds until "saved" is shown."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = await browser.new_context(bypass_csp=True, ignore_https_errors=True)
        cookie = {"name": USER_COOKIE_NAME, "value": _sign_cookie(secret, address, editor.name), "url": address}
        await context.add_cookies([cookie])  # type: ignore[list-item]
        page = await context.new_page()
        await page.goto(f"{address}/review?report={editor.report}&issue={editor.issue}")
        await page.locator(".row").first.wait_for(timeout=120_000)
        await start.wait()
        until = perf_counter() + lasts
        seconds: list[float] = []
        while perf_counter() < until and len(seconds) < len(editor.papers):
            began = perf_counter()
            await page.keyboard.press("n" if len(seconds) % 5 else "x")
            await page.locator(".status", has_text="saved").wait_for(timeout=60_000)
            seconds.append(perf_counter() - began)
            await asyncio.sleep(max(0, EVERY - seconds[-1]))
        await browser.close()
    return seconds


async def _measure(editors: list[Editor], address: str, secret: str, minutes: float, process: Popen[str]) -> None:
    *sockets, browsing = editors
    start, began = asyncio.Barrier(len(editors) + 1), perf_counter()
    tasks = [asyncio.create_task(one.work(address, secret, start, 60 * minutes)) for one in sockets]
    seen = asyncio.create_task(_browse(browsing, address, secret, start, 60 * minutes))
    await start.wait()
    print(f"all {len(editors)} lists open after {perf_counter() - began:.0f} s, requested at the same time", flush=True)
    used, until = _processor_time(process), perf_counter() + 60 * minutes
    while perf_counter() < until:
        await asyncio.sleep(min(30, max(0.1, until - perf_counter())))
        n, left = sum(len(one.acknowledged) for one in sockets), max(0, until - perf_counter())
        print(f"{60 * minutes - left:4.0f} s: {n} saved, {_memory(process):.0f} MB", flush=True)
    share = (_processor_time(process) - used) / n
    print(f"CPU time of the server, polling included: {1000 * share:.0f} ms per decision", flush=True)
    await asyncio.gather(*tasks)
    seconds = await seen
    print(f"in the browser: {len(seconds)} decisions, key to saved: {_quantiles(seconds)}")


def _quantiles(seconds: list[float]) -> str:
    if not seconds:
        return "none"
    middle, most, last = (1000 * float(np.quantile(seconds, q)) for q in (0.5, 0.95, 1))
    return f"median {middle:.0f} ms, p95 {most:.0f} ms, at most {last:.0f} ms"


def main() -> None:
    """Run the load test, and compare the acknowledged decisions with the log."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--editors", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--postgresql", action="store_true", help="use a new PostgreSQL server instead of SQLite")
    parser.add_argument("--nginx", action="store_true", help="connect through nginx and TLS")
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(is_safe=True) if given.postgresql else nullcontext() as server,
    ):
        # Queued jobs aren't copied, because they would run during the measurement.
        without_jobs = shutil.ignore_patterns("jobs")
        workspace = shutil.copytree(given.workspace, Path(folder) / "workspace", ignore=without_jobs)
        database = "" if server is None else server.url
        if server is not None:
            move_to_server(workspace, database)
        with closing(open_store(workspace, database)) as store:
            issue, editors = _set_up(store, given.editors)
            before = {code: len(log.decisions_since(store, code, issue, 0)) for code in {one.report for one in editors}}
            with _serve_desk(workspace, database, Path(folder) / "nginx" if given.nginx else None) as (
                address,
                process,
            ):
                secret = token_door.read_token(workspace)
                asyncio.run(_measure(editors, address, secret, given.minutes, process))
            logged = sum(len(log.decisions_since(store, code, issue, 0)) - n for code, n in before.items())
    print(f"load of the machine, mean of a minute: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    sockets = editors[:-1]
    n_saved = sum(len(set(one.acknowledged)) for one in sockets)
    seconds = [second for one in sockets for second in one.seconds]
    print(f"by websocket: {n_saved} decisions acknowledged, {sum(one.n_unanswered for one in sockets)} never answered")
    print(f"decision to answer: {_quantiles(seconds)}")
    print(f"in the log: {logged}, including the browser's")
    for why, n in sum((one.refused for one in sockets), Counter()).most_common(3):
        print(f"refused {n} times: {why}")


if __name__ == "__main__":
    main()
