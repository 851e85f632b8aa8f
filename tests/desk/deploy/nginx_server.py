"""nginx with our configuration on free ports, in front of a small server that echoes requests."""

import http.client
import json
import os
import re
import shutil
import ssl
import subprocess
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from socket import create_connection, socket

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route, WebSocketRoute

DEPLOY = Path(__file__).parents[3] / "deploy"
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin")
DESK, SITE = "desk.example.org", "reports.example.org"
LOCALHOST = "127.0.0.1"

needs_nginx = pytest.mark.skipif(NGINX is None or not shutil.which("openssl"), reason="nginx or openssl is missing")


class Nginx:
    """nginx with our configuration, in a folder of its own."""

    def __init__(self, folder, desk_port=1):
        """Write the configuration. By default, no desk runs behind it."""
        self.folder, self.plain, self.secure = folder, free_port(), free_port()
        self.site, self.challenges = folder / "site", folder / "html"
        for one in (self.site, self.challenges, folder / "bodies"):
            one.mkdir(parents=True)
        _make_certificate(folder)
        server = (DEPLOY / "nginx.conf").read_text()
        for old, new in {
            "/etc/ssl/presort/": f"{folder}/",
            "/var/log/nginx/": f"{folder}/",
            "/usr/local/share/presort": str(folder),
            "/var/www/presort": str(self.site),
            "/var/www/html": str(self.challenges),
            "127.0.0.1:8501": f"{LOCALHOST}:{desk_port}",
        }.items():
            assert old in server
            server = server.replace(old, new)
        server = re.sub(r"listen \[::\].*", "", server)
        server = re.sub(r"listen 80\b", f"listen {LOCALHOST}:{self.plain}", server)
        server = re.sub(r"listen 443\b", f"listen {LOCALHOST}:{self.secure}", server)
        shutil.copy(DEPLOY / "starting.html", folder / "presort-starting.html")
        own = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("proxy", "fastcgi", "uwsgi", "scgi"))
        whole = (
            f"daemon off; pid {folder}/pid; error_log {folder}/main.log; events {{}}"
            f"http {{ access_log {folder}/access.log; client_body_temp_path {folder}/bodies; {own}\n{server} }}"
        )
        (folder / "nginx.conf").write_text(f"user root; {whole}" if os.geteuid() == 0 else whole)
        self.command = [NGINX, "-e", str(folder / "start.log"), "-c", str(folder / "nginx.conf")]

    def check(self):
        """Return the exit code of `nginx -t` and its messages."""
        checked = subprocess.run([*self.command, "-t"], capture_output=True, text=True, check=False)
        return checked.returncode, checked.stderr

    @contextmanager
    def running(self):
        """Run nginx."""
        process = subprocess.Popen(self.command)
        try:
            wait_for(self.secure)
            yield self
        finally:
            process.terminate()
            process.wait()

    def logs(self):
        """Return the text of all logs."""
        return "".join(path.read_text() for path in self.folder.glob("*.log"))

    def ask(self, path, *, host=DESK, method="GET", headers=None, body=None):
        """Return status, headers and text of a response over TLS."""
        with (
            create_connection((LOCALHOST, self.secure)) as line,
            context().wrap_socket(line, server_hostname=host) as tls,
        ):
            return _answer(tls, method, path, {"Host": host, **(headers or {})}, body)

    @contextmanager
    def connection(self, host, settings=None):
        """Open a TLS connection."""
        settings = settings or context()
        with (
            create_connection((LOCALHOST, self.secure)) as line,
            settings.wrap_socket(line, server_hostname=host) as tls,
        ):
            yield tls

    def ask_plain(self, path, host=DESK):
        """Return status, headers and text of a response without TLS."""
        with create_connection((LOCALHOST, self.plain)) as line:
            return _answer(line, "GET", path, {"Host": host}, None)


@contextmanager
def desk_server():
    """Echo requests as JSON, and messages of websockets together with their request headers."""

    async def echo(request):
        headers = dict(request.headers)
        content = {"headers": headers, "path": request.url.path, "size": len(await request.body())}
        return JSONResponse(content, int(request.query_params.get("status", 200)))

    async def talk(websocket):
        await websocket.accept()
        await websocket.send_json({"headers": dict(websocket.headers), "text": await websocket.receive_text()})
        await websocket.close()

    routes = [WebSocketRoute("/_stcore/stream", talk), Route("/{path:path}", echo, methods=["GET", "PUT", "POST"])]
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), host=LOCALHOST, port=port, log_level="critical"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        wait_for(port)
        yield port
    finally:
        server.should_exit = True
        thread.join()


def context():
    """Return a client's TLS settings that accept the test certificate."""
    made = ssl.create_default_context()
    made.check_hostname, made.verify_mode = False, ssl.CERT_NONE
    return made


def free_port():
    with socket() as probe:
        probe.bind((LOCALHOST, 0))
        return probe.getsockname()[1]


def _answer(line, method, path, headers, body):
    connection = http.client.HTTPConnection(headers["Host"])
    connection.sock = line
    connection.request(method, path, body=body, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read().decode()


def wait_for(port):
    """Wait until a server accepts connections."""
    end = time.monotonic() + 20
    while True:
        try:
            create_connection((LOCALHOST, port)).close()
        except OSError:
            if time.monotonic() > end:
                raise
        else:
            return


def _make_certificate(folder):
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", f"/CN={DESK}"]
    files = ["-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"]
    subprocess.run([*made, *files], check=True, capture_output=True)


def parsed(answer):
    """Return the JSON of a response."""
    return json.loads(answer[2])
