"""The warehouse's system, which the `webhook` kind calls: loopback only, says yes to everything."""

import http.server
import json
import threading


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        """Stop a parcel or release it; the same again is the same."""
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        done = "stopped" if self.path.endswith("/stop") else "released"
        body = json.dumps({"parcel": done}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Says nothing."""


class Warehouse:
    """Listens from now on, answers from `start()` on. Begins no thread before: it may be forked."""

    def __init__(self, port: int | None) -> None:
        """`port`: the one of last time, so that what was drafted then still finds it."""
        try:
            self._server = http.server.ThreadingHTTPServer(("127.0.0.1", port or 0), _Handler)
        except OSError:
            self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def address(self) -> str:
        """For `UNDO_DESK_WEBHOOK_ALLOW`."""
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        """Answers, in threads of its own."""
        serve = self._server.serve_forever
        threading.Thread(target=serve, name="demo-warehouse", daemon=True).start()

    def close(self) -> None:
        """Listens no longer. Answers under way end with the process."""
        self._server.server_close()
