"""A pool of Beam workers: Flink's TaskManagers ask it for worker processes, which run the steps of the graph.

    winnow pool --port 50000

Beam has one of its own (apache_beam.runners.worker.worker_pool_main), which this stands in for, because there

- TaskManagers of one machine number their workers alike, and the end of one ends the worker of another: the job hangs;
- workers are started with the `python` that comes first in PATH: without Beam in it, the job hangs;
- SIGTERM leaves the workers behind, and every interface of the machine is listened on.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import Any

import grpc
from apache_beam.portability.api import beam_fn_api_pb2, beam_fn_api_pb2_grpc

from pipeline.start import python

_LOG = logging.getLogger(__name__)
HERE = "127.0.0.1"
# Requests take milliseconds.
THREADS = 4
STOP_SECONDS = 5.0
_WORKER = "from pipeline.pool import work; work(*sys.argv[1:])"


def work(url: str, worker: str) -> None:
    """Do what the TaskManager at `url` asks for until it hangs up; ends this process.

    If it has died, what is still at work has nobody to report to, and threads of it may wait for its answers for ever.
    """
    from apache_beam.runners.worker.sdk_worker import SdkHarness  # noqa: PLC0415  the pool itself does without

    status = 1
    try:
        # A limit in time would lose data: docs/upstream/beam-timed-flush.md.
        SdkHarness(url, worker_id=worker, state_cache_size=0, data_buffer_time_limit_ms=0).run()
        status = 0
    except grpc.RpcError as error:
        _LOG.info("worker %s lost who it worked for: %s", worker, error)
    finally:
        logging.shutdown()
        os._exit(status)


class WorkerPool(beam_fn_api_pb2_grpc.BeamFnExternalWorkerPoolServicer):  # type: ignore[misc]
    """Starts workers. They end by themselves when who asked for them hangs up; `close` ends those that are left."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._workers: list[subprocess.Popen[bytes]] = []

    def StartWorker(self, request: Any, _: Any) -> Any:  # noqa: N802  the name in the protocol
        """Start one, which reports to who asked for it."""
        url, worker = request.control_endpoint.url, request.worker_id
        try:
            # What a library prints goes to our log: a pipe that nobody reads would stop it.
            process = subprocess.Popen(python(_WORKER, url, worker), stdout=sys.stderr)  # noqa: S603
        except OSError as error:
            return beam_fn_api_pb2.StartWorkerResponse(error=str(error))
        _LOG.info("started worker %s for %s, process %d", worker, url, process.pid)
        with self._lock:
            self._workers = [known for known in self._workers if known.poll() is None] + [process]
        return beam_fn_api_pb2.StartWorkerResponse()

    def StopWorker(self, request: Any, _: Any) -> Any:  # noqa: N802  the name in the protocol
        """Nothing: the worker ends when its control stream does, and the id in the request may be that of two."""
        _LOG.info("worker %s is not needed any more", request.worker_id)
        with self._lock:
            self._workers = [known for known in self._workers if known.poll() is None]
        return beam_fn_api_pb2.StopWorkerResponse()

    def close(self) -> None:
        """End all workers."""
        with self._lock:
            for worker in self._workers:
                worker.terminate()
            for worker in self._workers:
                _wait(worker)
            self._workers.clear()


def _wait(worker: subprocess.Popen[bytes]) -> None:
    try:
        worker.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()


def serve(host: str, port: int) -> int:
    """Listen until SIGINT or SIGTERM; returns the exit status."""
    pool = WorkerPool()
    # Bundles take as long as they take: pings on idle connections are no attack.
    options = [("grpc.http2.max_pings_without_data", 0), ("grpc.http2.max_ping_strikes", 0)]
    server = grpc.server(ThreadPoolExecutor(THREADS), options=options)
    beam_fn_api_pb2_grpc.add_BeamFnExternalWorkerPoolServicer_to_server(pool, server)
    try:
        server.add_insecure_port(f"{host}:{port}")
    except RuntimeError as error:
        sys.stderr.write(f"winnow: cannot listen on {host}:{port}: {error}\n")
        return 1
    told = threading.Event()

    def stop(_: int, __: FrameType | None) -> None:
        told.set()

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    server.start()
    told.wait()
    server.stop(0)
    pool.close()
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the arguments and serve."""
    parser = argparse.ArgumentParser(prog="winnow pool", description="A pool of Beam workers for Flink.")
    parser.add_argument("--host", default=HERE, help=f"default: {HERE}; only a TaskManager beside it needs to reach it")
    parser.add_argument("--port", type=int, default=50000, help="default: 50000")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", force=True)
    return serve(options.host, options.port)


if __name__ == "__main__":
    sys.exit(main())
