"""Where a server listens, and when other machines may use it."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, option

if TYPE_CHECKING:
    from pathlib import Path


_ORIGIN = re.compile(r"https?://(\[[0-9a-f:]+\]|[a-z0-9.-]+)(:[0-9]{1,5})?/?", re.IGNORECASE)


@dataclass(frozen=True)
class Address:
    """Where a server listens: ``url`` is how people reach it if a proxy is before it."""

    host: str = "127.0.0.1"
    port: int = 8000
    url: str = ""
    certificate: Path | None = None
    key: Path | None = None
    insecure: bool = False

    @property
    def shown_host(self) -> str:
        """The host as a URL has it."""
        return f"[{self.host}]" if ":" in self.host else self.host

    def listening_at(self, port: int) -> str:
        """The address of the server itself, at this port."""
        return f"{'https' if self.certificate else 'http'}://{self.shown_host}:{port}"

    def url_at(self, port: int) -> str:
        """How people reach the server, which listens at this port."""
        return self.url.rstrip("/") or self.listening_at(port)

    def check(self, *, sent: str = "private links") -> None:
        """Refuse to serve other machines without TLS; ``sent`` is what they would send."""
        if self.url and not _ORIGIN.fullmatch(self.url):
            what = f"{self.url!r} is not an address"
            raise InputError.at(option("url"), what, "write https://HOST or https://HOST:PORT")
        if bool(self.certificate) != bool(self.key):
            both = f"give both {option('tls_cert')} and {option('tls_key')}"
            raise InputError.at("TLS", "needs a certificate and a key", both)
        for path in (self.certificate, self.key):
            if path is not None and not path.is_file():
                raise InputError.at(path, "no such file", "check the name and the folder")
        self._check_certificate()
        if not (is_loopback(self.host) or self.certificate or self.insecure):
            what = f"other machines would send {sent} to {self.host} unencrypted"
            both = f"{option('tls_cert')} and {option('tls_key')}"
            raise InputError.at(option("host"), what, f"give {both}, or {option('insecure')} behind a TLS proxy")

    def _check_certificate(self) -> None:
        if self.certificate is not None and self.key is not None:
            try:
                ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.certificate, self.key, password="")
            except (ssl.SSLError, OSError):
                what = f"is not a certificate (PEM) to which the key {self.key} belongs, without a password"
                raise InputError.at(self.certificate, what, "give both files as they were made together") from None


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the host.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
