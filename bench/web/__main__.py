"""`python -m bench.web [PORT]` serves the small web on loopback until Ctrl-C."""

from __future__ import annotations

import sys
import threading

from bench.web.served import TRAPS, answer, seeds
from bench.web.server import LOOPBACK, serve


def main() -> None:
    """Serve and say what there is."""
    with serve(answer, port=int(sys.argv[1]) if len(sys.argv) > 1 else 0) as port:
        print(f"serving on {LOOPBACK}:{port}, by their names:", *seeds(), f"http://{TRAPS}/", sep="\n", flush=True)
        print(f"\nwinnow crawl URL -o DIR --contact YOU --allow-private --connect-to '*={LOOPBACK}:{port}'", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
