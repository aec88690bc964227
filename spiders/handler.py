"""Scrapy's way to the client: http and https, and nothing else."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.http import Headers, Response

from spiders.client import Client, FetchLimits
from spiders.connect import Connector
from spiders.exceptions import FetchError
from spiders.options import address_policy, connect_to
from spiders.outcomes import Outcome
from spiders.urls import parse

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from spiders.exchange import Exchange

SOFTWARE = f"winnow/{version('winnow')}"


class Fetched(Response):
    """A response together with the bytes that it came in; its body is still in its codings."""

    exchange: Exchange


class ArchivingHandler(BaseDownloadHandler):
    """Gives responses that can be archived byte for byte."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        limits = FetchLimits(
            settings.getint("DOWNLOAD_MAXSIZE"), settings.getint("HEAD_MAXSIZE"), settings.getfloat("DOWNLOAD_TIMEOUT")
        )
        verify = settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES")
        connector = Connector(address_policy(settings), connect_to(settings), verify=verify)
        self._client = Client(connector, limits, settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"))

    async def download_request(self, request: Request) -> Response:
        """Fetch; a FetchError says why not."""
        url = parse(request.url)
        if url is None:
            raise FetchError(Outcome.REFUSED_SCHEME, f"only http and https URLs are fetched, not {request.url[:200]}")
        limits: FetchLimits | None = request.meta.get("fetch_limits")
        exchange = await self._client.fetch(url, _written(url.target, url.host, request.headers), limits)
        request.meta["download_latency"] = exchange.seconds
        response = Fetched(request.url, status=exchange.status, body=exchange.message.body, request=request)
        response.exchange = exchange
        return response

    async def close(self) -> None:
        """End the connections."""
        self._client.close()


def _written(target: str, host: str, headers: Headers) -> bytes:
    lines = [f"GET {target} HTTP/1.1", f"Host: {host}"]
    values: Any
    for name, values in headers.items():
        lines += [f"{name.decode('latin-1')}: {value.decode('latin-1')}" for value in values]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")
