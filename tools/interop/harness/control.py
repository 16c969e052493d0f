"""control.py HOST PORT GRANT-FILE: one connection of tools/client.py, a client that is not ours, inside a node.

Requests come as JSON lines {"method", "params"} on standard input; each answer goes to standard output, with the events
that came before it.
"""

import json
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import client  # noqa: E402


def main() -> None:
    """Answers a line for each line read."""
    host, port, grant = sys.argv[1], int(sys.argv[2]), client.Grant.parse(Path(sys.argv[3]).read_text(encoding="utf-8"))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with client.connect(host, port, grant) as connection:
        print(json.dumps({"welcome": connection.welcome}), flush=True)
        for line in sys.stdin:
            request = json.loads(line)
            connection.events.clear()
            try:
                answer = {"result": connection.call(request["method"], request.get("params"))}
            except client.HubError as error:
                if error.goaway:
                    raise
                answer = {"error": error.error}
            print(json.dumps({"answer": answer, "events": connection.events}), flush=True)


if __name__ == "__main__":
    main()
