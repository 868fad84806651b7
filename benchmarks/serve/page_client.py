"""What a page does, without a browser: requests of people with private links to a real server."""

from __future__ import annotations

import http.client
import json
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.serve.server_process import ServerProcess, invited
from benchmarks.serve.small_task import make_task

if TYPE_CHECKING:
    from pathlib import Path

FAILED: dict[int | str, list[str]] = {0: ["topic"], 1: ["context"], 2: [], "NA": []}


@dataclass(frozen=True)
class Answer:
    """What the server answered."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self) -> Any:  # Any: JSON values
        """The body as JSON."""
        return json.loads(self.body)


class Client:
    """Somebody who talks to a server, with or without a session."""

    def __init__(self, port: int, token: str = "") -> None:
        self.port, self.cookie = port, ""
        self.seen = bytearray()
        if token:
            self.sign_in(token)

    def sign_in(self, token: str) -> None:
        """Exchange a token for a session."""
        answer = self.request("POST", "/session", {"token": token})
        if answer.status != 204:
            raise RuntimeError(f"not signed in: {answer.body.decode()}")
        self.cookie = answer.headers["set-cookie"].split(";")[0]

    def request(self, method: str, path: str, body: object = None, **headers: str | None) -> Answer:
        """The answer to a request as our page makes it; a header of None is left out."""
        own = f"127.0.0.1:{self.port}"
        given = {"Host": own, "Origin": f"http://{own}", "Content-Type": "application/json", "Cookie": self.cookie}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}  # type: ignore[misc]
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        connection.request(method, path, data, {name: value for name, value in given.items() if value is not None})
        found = connection.getresponse()
        answer = Answer(found.status, found.headers, found.read())
        connection.close()
        self.seen += str(found.headers).encode() + answer.body
        return answer

    def work(self) -> list[dict[str, Any]]:  # Any: JSON values
        """What is to be judged next."""
        return [one for one in self.request("GET", "/work").json()["items"] if one["vote"] is None]

    def vote(self, item: dict[str, Any], level: int | str = 2, **other: object) -> Answer:  # Any: JSON values
        """Vote on an item of a list."""
        return self.request("POST", "/votes", {"votes": [ballot(item, level, **other)]})


def ballot(item: dict[str, Any], level: int | str = 2, **other: object) -> dict[str, Any]:  # Any: JSON values
    """A vote as our page sends it."""
    given = {name: item[name] for name in ("item", "shown", "lease", "position", "lang")}
    return given | {"key": secrets.token_hex(16), "level": level, "failed": FAILED[level], "view": "list"} | other


@dataclass(frozen=True)
class Served:
    """A running server and its people, by name."""

    process: ServerProcess
    tokens: dict[str, str]

    @property
    def task(self) -> Path:
        """The task folder."""
        return self.process.task

    def client(self, name: str = "") -> Client:
        """A client: a stranger, or a person with a new session."""
        return Client(self.process.port, self.tokens[name] if name else "")


def started(folder: Path, *, settings: str = "", votes_per_item: int = 3) -> Served:
    """A server of a small task with assessors A and B, a lead, and somebody whose link was revoked."""
    task = make_task(folder, topics=4, comments=12, votes_per_item=votes_per_item, settings=settings)
    process = ServerProcess(task)
    process.start()
    tokens = dict(zip(("Ann", "Bob", "Rev"), invited(task, ["Ann", "Bob", "Rev"]), strict=True))
    tokens["Lea"] = invited(task, ["Lea"], role="lead")[0]
    tokens["organiser"] = process.organiser.split("#")[1]
    return Served(process, tokens)
