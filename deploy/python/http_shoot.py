"""Fires a bracket over the console's HTTP, watches it being stored, and saves its photos as a ZIP archive.

http_shoot.py LINK FILE: LINK is what volley-console prints, and FILE where the photos go, such as vase.zip. It needs
nothing but Python.
"""

import http.client
import http.cookiejar
import json
import shutil
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

PLAN = {"bracket": {"autoExposure": [-2, 0, 2]}, "formats": ["jpeg"]}
OVER = {"complete", "partial", "failed", "cancelled"}


class Console:
    """A session of a console."""

    def __init__(self, link):
        self.root = urllib.parse.urljoin(link, "/api/v1/")
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(cookies)
        # The link lets in once; the cookie that it leaves does from then on.
        try:
            self.opener.open(link).close()
        except urllib.error.HTTPError as error:
            sys.exit(f"{error}: has the link been used? The button 'Link for another browser' makes another.")

    def open(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        return self.opener.open(urllib.request.Request(self.root + path, data, {"Content-Type": "application/json"}))

    def ask(self, path, body=None):
        with self.open(path, body) as answer:
            return json.load(answer)

    def insist(self, path, body):
        """The same until there is an answer: for what may be asked twice."""
        while True:
            try:
                return self.ask(path, body)
            except urllib.error.HTTPError:
                raise
            except OSError:
                time.sleep(1)

    def news(self, after):
        """All that happens after a number, without a gap, though connections may be lost."""
        while True:
            try:
                with self.open(f"events?after={after}") as stream:
                    for line in stream:
                        name, _, value = line.decode().rstrip("\n").partition(": ")
                        if name == "id":
                            after = int(value)
                        elif name == "data":
                            yield json.loads(value)
            except urllib.error.HTTPError:
                raise
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(1)


def main(link, file):
    console = Console(link)
    check = console.ask("check", {"plan": PLAN})
    for objection in check["objections"]:
        print(objection)
    if not check["canFire"]:
        return check["reason"]
    before = console.ask("status")["news"]
    # The same requestID is the same capture, however often it is sent.
    order = {"requestID": str(uuid.uuid4()), "plan": PLAN, "subject": "vase"}
    number = console.insist("captures", order)["uniqueID"]
    for notice in console.news(before):
        if notice.get("uniqueID") != number or "state" not in notice:
            continue
        print(f"{notice['state']}: {notice['storedPhotoCount']} of {notice['expectedPhotoCount']} photos")
        if notice["state"] in OVER:
            break
    with console.open(f"captures/{number}/photos.zip") as photos, open(file, "wb") as copy:
        shutil.copyfileobj(photos, copy)
    return None if notice["state"] == "complete" else notice.get("reason", notice["state"])


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except urllib.error.HTTPError as error:
        # Problem details (RFC 9457), with a sentence for a person.
        sys.exit(json.load(error)["detail"])
