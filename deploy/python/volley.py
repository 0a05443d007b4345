"""A rig's operator in Python: fire, wait, find photos. It needs pyzmq (Debian: python3-zmq).

    import volley
    rig = volley.Rig("cage", key="ada.key", coordinator="coordinator.pub")
    capture = rig.wait(rig.fire(volley.auto(-2, 0, +2), session="monday"))
    for photo in rig.photos(capture=capture["summary"]["uniqueID"]):
        print(photo["node"], photo["file"])

Every document is that of the wire: Sources/RigProtocol/wire.md describes it. Times of exposure are in nanoseconds,
instants in microseconds since the Unix epoch.
"""

import json
import re
import time
import uuid

import zmq

PORT = 5671
"""The coordinator's port for operators, unless it is configured otherwise."""

_VERSION = 6
_FINAL = {"complete", "partial", "failed", "cancelled"}


class Refused(Exception):
    """The coordinator will not do it: `code` is for programs, the text and `details` for people."""

    def __init__(self, reply):
        super().__init__("\n".join([reply["message"], *reply.get("details", [])]))
        self.code, self.details = reply["code"], reply.get("details", [])


class Unreachable(Exception):
    """No coordinator answers; what was asked may have been done all the same."""


def auto(*biases, **more):
    """A plan of the metered exposure, moved by each of these biases in EV."""
    return _plan({"autoExposure": list(biases)}, more)


def manual(*steps, **more):
    """A plan of exposures: each a pair of seconds and ISO, of which None leaves the camera's own."""
    return _plan({"manualExposure": [_step(*step) for step in steps]}, more)


def burst(count, **more):
    """A plan of this many exposures as the camera is set."""
    return _plan({"burst": count}, more)


def _plan(bracket, more):
    # The defaults of a plan in a file.
    return {"name": "python", "bracket": bracket, "formats": ["jpeg"], "policy": "all", **more}


def _step(seconds, iso=None):
    duration = "current" if seconds is None else round(seconds * 1e9)
    return {"duration": duration, "iso": "current" if iso is None else iso}


class Rig:
    """A connection to a coordinator, for one thread.

    `place` is HOST or HOST:PORT, with an IPv6 address in brackets, `key` the file of the operator's secret key, and `coordinator` that of the coordinator's
    public key. `patience` is how long to wait for an answer, in seconds.
    """

    def __init__(self, place, key, coordinator, patience=10):
        parts = re.fullmatch(r"(\[[^]]+\]|[^:]+)(?::(\d+))?", place)
        if parts is None:
            raise ValueError(f"a place is HOST or HOST:PORT, with an IPv6 address in brackets, not {place!r}")
        host, port = parts.groups()
        self._place = f"tcp://{host}:{port or PORT}"
        self._is_ipv6 = host.startswith("[")
        with open(key, "rb") as file:
            self._secret = file.read().strip()
        with open(coordinator, "rb") as file:
            self._server = file.read().strip()
        self.patience = patience
        self._sequence = 0
        self._socket = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the connection; another question makes a new one."""
        if self._socket is not None:
            self._socket.close(linger=0)
            self._socket = None

    def ask(self, request, patience=None, **fields):
        """Asks anything of the wire, by the name of its request, and returns the reply."""
        if self._socket is None:
            self._socket = zmq.Context.instance().socket(zmq.DEALER)
            self._socket.ipv6 = self._is_ipv6
            self._socket.curve_secretkey = self._secret
            self._socket.curve_publickey = zmq.curve_public(self._secret)
            self._socket.curve_serverkey = self._server
            self._socket.connect(self._place)
        self._sequence += 1
        fields = {name: value for name, value in fields.items() if value is not None}
        header = {"v": _VERSION, "type": request, "sequence": self._sequence, **fields}
        self._socket.send(json.dumps(header).encode())
        end = time.monotonic() + (self.patience if patience is None else patience)
        while self._socket.poll(max(0, end - time.monotonic()) * 1000):
            reply = json.loads(self._socket.recv_multipart()[0])
            # An answer that came too late for the question before is none to this one.
            if reply.get("answers") != self._sequence:
                continue
            if reply["type"] == "refusal":
                raise Refused(reply)
            return reply
        # What is still in the socket must not arrive later.
        self.close()
        raise Unreachable(f"No coordinator answers at {self._place}.")

    def fire(self, plan, session=None, subject=None, labels=None, at=None, queue=None):
        """Fires a plan and returns the capture's id. A request that was not answered is made again, and is the same."""
        fields = {
            "requestID": str(uuid.uuid4()), "plan": plan, "session": session, "subject": subject,
            "labels": labels or {}, "at": at, "queue": queue,
        }
        if ("nodes" in plan or "groups" in plan) and not self.ask("statusRequest").get("choosesNodes"):
            raise RuntimeError("This coordinator is of an older release, which would fire all nodes.")
        try:
            return self.ask("fireRequest", **fields)["uniqueID"]
        except Unreachable:
            return self.ask("fireRequest", **fields)["uniqueID"]

    def cancel(self, capture):
        """Gives a capture up."""
        self.ask("cancelRequest", uniqueID=capture)

    def show(self, capture):
        """Everything about a capture, as it stands now."""
        return self.ask("showRequest", uniqueID=capture)["capture"]

    def wait(self, capture, patience=None, interval=0.2):
        """Waits until a capture has ended, and returns everything about it; TimeoutError after `patience` seconds."""
        end = None if patience is None else time.monotonic() + patience
        while True:
            try:
                detail = self.show(capture)
                if detail["summary"]["state"] in _FINAL:
                    return detail
            except Unreachable:
                # The capture goes on without its coordinator, which comes back.
                pass
            if end is not None and time.monotonic() > end:
                raise TimeoutError(f"Capture {capture} has not ended.")
            time.sleep(interval)

    def nodes(self):
        """The nodes, with what each can do, or why it cannot."""
        return self.ask("nodesRequest")["nodes"]

    def captures(self, **filter):
        """Captures, the newest first: by session, labels, nodes, states, plan, since, until and more."""
        return self.ask("capturesRequest", filter=filter)["captures"]

    def photos(self, capture=None, captures=None, **filter):
        """Photos, each with its `uniqueID`, `node`, `record` and, where it is stored, its `file` on the coordinator's
        machine: of one capture, or of those that a filter of captures chooses; by nodes, steps, formats and more."""
        captures = dict(captures or {}, **({"digits": str(capture)} if capture is not None else {}))
        reply = self.ask("photosRequest", filter={"captures": captures, **filter})
        photos = []
        for item in reply["found"]["items"]:
            photo = dict(item["photo"], uniqueID=item["uniqueID"], state=item["state"])
            photo["file"] = f"{reply['library']}/{photo['path']}" if photo.get("path") else None
            photos.append(photo)
        return photos
