"""Create the pictures of the guides from the demo: wide and on a phone, light and dark.

Run as ``python docs/make_pictures.py``.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from socket import socket

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from presort.data.demo import make_world
from presort.data.exporters.redif import write_redif
from presort.data.intake.commit_import import commit_import
from presort.data.store import open_store
from presort.desk import settings
from presort.desk.service.demo import build_demo
from presort.desk.web import launch, token_door

CHROMIUM = "/usr/bin/chromium-headless-shell"
FOLDER = Path(__file__).parent / "pictures"
GALLERY = FOLDER.parent / "pages.md"
WIDE: ViewportSize = {"width": 1200, "height": 860}
PHONE: ViewportSize = {"width": 400, "height": 860}
COLOURS = 256
TITLES = {
    "opened": "Review: an open paper",
    "order": "Publish: order and notes",
    "preview": "Publish: preview",
    "issued": "Publish: after publication",
    "week": "This week",
    "topic": "Try a topic",
    "report": "My report",
    "systems-topics": "Systems and topics",
}
REPORT = "lab"
TOPIC = "How minimum wages change hourly wages, hours and employment of young and low-paid workers."


def main() -> None:
    """Build the demo, walk through its pages, and write the pictures."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        demo = Path(folder) / "demo"
        store = open_store(demo)
        for _ in build_demo(store, n_jobs=2):
            pass
        store.close()
        begun = begin_service(Path(folder) / "begun")  # papers can't be imported into the demo
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        for look in ("light", "dark"):
            workspace = shutil.copytree(demo, Path(folder) / look)  # both start from the same week
            walk(browser, workspace, look, STEPS)
            walk(browser, begun, look, {"import": import_files})
        browser.close()
    write_gallery([*STEPS, "import"])


def begin_service(folder: Path) -> Path:
    """Create a service that has imported all synthetic issues but the newest."""
    listings = make_world(n_issues=4).listings
    newest = max(listed.issue for listed in listings)
    store = open_store(folder)
    commit_import(store, [listed for listed in listings if listed.issue < newest], person="import")
    store.close()
    return folder


def walk(browser: Browser, workspace: Path, look: str, steps: Mapping[str, Callable[[Page, str], None]]) -> None:
    """Take all pictures in one colour scheme."""
    with socket() as probe:
        probe.bind((launch.LOCALHOST, 0))
        port = probe.getsockname()[1]
    environment = settings.to_environment(settings.Settings(workspace))
    command = launch.command(launch.LOCALHOST, port)
    server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        next(line for line in server.stdout or () if "URL:" in line)
        page = browser.new_context(viewport=WIDE, color_scheme=look).new_page()  # type: ignore[arg-type]
        page.goto(f"http://{launch.LOCALHOST}:{port}/?{token_door.TOKEN}={token_door.read_token(workspace)}")
        for name, step in steps.items():
            step(page, f"http://{launch.LOCALHOST}:{port}")
            for size, ending in ((PHONE, "-phone"), (WIDE, "")):
                page.set_viewport_size(size)
                page.wait_for_timeout(1_500)  # wait until nothing moves
                keep(page.screenshot(), FOLDER / f"{name}{ending}-{look}.png")
            sys.stdout.write(f"{name}, {look}\n")
        page.context.close()
    finally:
        server.terminate()
        server.communicate()


def write_gallery(names: Iterable[str]) -> None:
    """Write the page that shows all pictures."""
    lines = [
        "# Every page",
        "",
        "This page shows screenshots of the demo on a wide screen and on a phone. They appear in light or dark mode,",
        "depending on your system settings.",
        "",
    ]
    for name in names:
        title = TITLES.get(name, name.replace("-", " ").capitalize())
        wide, phone = (
            f'<picture><source media="(prefers-color-scheme: dark)" srcset="pictures/{file}-dark.png">'
            f'<img alt="{title}{on}" src="pictures/{file}-light.png"{width}></picture>'
            for file, on, width in ((name, "", ' width="640"'), (f"{name}-phone", ", on a phone", ' width="213"'))
        )
        lines += [f"## {title}", "", f"{wide} {phone}", ""]
    GALLERY.write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")


def keep(picture: bytes, path: Path) -> None:
    """Write a picture in few colours: a third of the size."""
    Image.open(BytesIO(picture)).convert("RGB").quantize(COLOURS).save(path, optimize=True)


def review(page: Page, address: str) -> None:
    """Decide some papers by keys."""
    page.goto(f"{address}/review?report={REPORT}")
    page.locator(".row").first.wait_for()
    for key in "xxmxxnxnxx":
        page.keyboard.press(key)
    page.locator(".status", has_text="saved").wait_for()
    page.locator("h1").scroll_into_view_if_needed()


def opened(page: Page, address: str) -> None:
    """Open a paper and see why it is there."""
    page.locator(".row").nth(1).locator(".opener").click()
    page.locator(".corrections").first.wait_for()
    page.locator(".row").nth(1).scroll_into_view_if_needed()


def publish(page: Page, address: str) -> None:
    """Leave out what is not to be published."""
    page.goto(f"{address}/publish?report={REPORT}")
    page.get_by_role("checkbox").first.wait_for()


def order(page: Page, address: str) -> None:
    """Put the papers in order."""
    page.locator(".st-key-filter summary").click()
    page.locator(".st-key-order summary").click()


def preview(page: Page, address: str) -> None:
    """See how it will read."""
    page.locator(".st-key-order summary").click()
    page.locator(".st-key-draft summary").click()


def published(page: Page, address: str) -> None:
    """Decide what is still maybe, and publish."""
    page.get_by_role("button", name="Not relevant").click()
    page.get_by_role("button", name="Publish report").click()
    page.get_by_role("dialog").get_by_role("button", name="Publish", exact=True).click()
    page.get_by_test_id("stMetric").first.wait_for()


def week(page: Page, address: str) -> None:
    """See what waits."""
    page.goto(f"{address}/week")
    page.get_by_role("heading", name="This week").wait_for()


def topic(page: Page, address: str) -> None:
    """Sort past issues for a paragraph."""
    page.goto(f"{address}/topic")
    page.get_by_role("textbox").first.fill(TOPIC)
    page.get_by_role("button", name="Add").first.click()
    page.wait_for_timeout(8_000)


def import_files(page: Page, address: str) -> None:
    """Look at what a file would change, with some papers known already and one that is wrong."""
    world = make_world(n_issues=4).listings
    newest = max(listed.issue for listed in world)
    new = [listed.paper for listed in world if listed.issue == newest]
    copies = [replace(listed.paper, paper_id=f"copy:{listed.paper.paper_id}") for listed in world[:5]]
    file = BytesIO()
    write_redif([*new, *copies], file)
    file.write(b"\nTemplate-Type: ReDIF-Paper 1.0\nAuthor-Name: Ann Lee\nHandle: RePEc:abc:wpaper:1\n")
    page.goto(f"{address}/import")
    content = {"name": f"issue-{newest}.rdf", "mimeType": "", "buffer": file.getvalue()}
    page.locator("input[type=file]").set_input_files([content])  # type: ignore[arg-type]
    page.get_by_text("Skip invalid records", exact=True).first.click()
    page.get_by_text("Duplicates 5", exact=True).click()
    page.get_by_test_id("stDataFrame").wait_for()


def shown(path: str, text: str) -> Callable[[Page, str], None]:
    """Open a page, and wait until a text stands on it."""

    def step(page: Page, address: str) -> None:
        page.goto(f"{address}/{path}")
        page.get_by_text(text).first.wait_for()
        page.wait_for_timeout(5_000)  # charts

    return step


STEPS: dict[str, Callable[[Page, str], None]] = {
    "review": review,
    "opened": opened,
    "publish": publish,
    "order": order,
    "preview": preview,
    "issued": published,
    "week": week,
    "topic": topic,
    "preferences": shown("preferences", "Keys"),
    "report": shown(f"report?report={REPORT}&replay=1", "My report"),
    "overview": shown("overview?replay=1", "Overview"),
    "compare": shown("compare?replay=1", "Compare"),
    "natural-order": shown("natural-order?replay=1", "Natural order"),
    "systems-topics": shown("systems-topics?replay=1", "Systems and topics"),
    "measures": shown("measures", "Measures"),
    "manage": shown("manage", "Manage"),
}

if __name__ == "__main__":
    main()
