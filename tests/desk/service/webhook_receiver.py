"""Local receiver of webhooks, which can simulate errors."""

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Receiver:
    """Running receiver: its address, the received requests, and its response statuses. The last status is repeated."""

    url: str
    statuses: list[object] = field(default_factory=lambda: [204])
    got: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    @property
    def ids(self):
        return [headers["webhook-id"] for _, headers, _ in self.got]


@contextmanager
def receiver(port=0):
    """Run a receiver until the block ends. A status may be "silent", "dripping" or "large"."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            running.got.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            status = running.statuses.pop(0) if len(running.statuses) > 1 else running.statuses[0]
            if status == "silent":
                running.stopped.wait()
            elif status == "dripping":
                self._drip()
            else:
                self.send_response(200 if status == "large" else status)
                self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", str(10**12 if status == "large" else 0))
                self.end_headers()

        def _drip(self):
            try:
                self.wfile.write(b"HTTP/1.1 ")
                while not running.stopped.is_set():
                    self.wfile.write(b"2")  # a status that never ends
                    self.wfile.flush()
                    time.sleep(0.02)  # faster than the time limit of a read
            except OSError:
                pass

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    running = Receiver(f"http://127.0.0.1:{server.server_port}/hook/s3cret-path")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield running
    finally:
        running.stopped.set()
        server.shutdown()
        thread.join()
        server.server_close()
