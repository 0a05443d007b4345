/// Programs in Python that judge the console; each says that all is well, or what is not.
extension ConsoleTests {
    static let client = """
        import hashlib, html, html.parser, http.client, json, os, signal, subprocess, sys, time, urllib.parse, xml.etree.ElementTree
        port, words = int(sys.argv[1]), sys.argv[2:]
        cookie = None

        def ask(path, method="GET", headers={}, host=None, body=None):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            headers = dict(headers)
            if cookie: headers["Cookie"] = cookie
            if host: headers["Host"] = host
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()

        def post(path, document, headers={}):
            status, _, data = ask(path, "POST", {"Content-Type": "application/json", **headers}, body=json.dumps(document))
            return status, json.loads(data)

        def submit(path, **fields):
            form = {"Content-Type": "application/x-www-form-urlencoded", "Origin": f"http://127.0.0.1:{port}"}
            return ask(path, "POST", form, body=urllib.parse.urlencode(fields))

        def enter(link):
            global cookie
            status, headers, _ = ask(link[link.index("/enter"):])
            assert status == 303, status
            cookie = headers["Set-Cookie"].split(";")[0]
            return headers["Set-Cookie"]

        class Page(html.parser.HTMLParser):
            def __init__(self, data):
                super().__init__()
                self.scripts, self.text, self.links, self.images, self.tags = [], "", [], [], []
                self.feed(data.decode())
            def handle_starttag(self, tag, attributes):
                attributes = dict(attributes)
                self.tags.append(tag)
                assert not any(name.startswith("on") or name == "style" for name in attributes), attributes
                if tag == "script": self.scripts.append(attributes.get("src"))
                if tag == "a": self.links.append(attributes.get("href"))
                if tag == "img": self.images.append(attributes.get("src"))
            def handle_data(self, data): self.text += data + " "

        def finish():
            print("all is well")

        """

    static let door = """
        link, id = words
        for path in ["/", "/nodes", f"/captures/{id}", f"/captures/{id}/thumbnail", "/api/v1/captures", "/api/v1/events"]:
            status, headers, body = ask(path)
            assert status == 401, (path, status)
            assert id not in body.decode(), path
            assert "script-src 'self'" in headers["Content-Security-Policy"]
            assert headers["Cache-Control"] == "no-store" and headers["Referrer-Policy"] == "same-origin"
            if "/api/" in path:
                assert headers["Content-Type"] == "application/problem+json"
                assert json.loads(body)["status"] == 401
        assert ask("/enter?token=" + "0" * 64)[0] == 401
        assert ask(link[link.index("/enter"):], "HEAD")[0] == 200, "whoever looks ahead does not use it up"
        made = enter(link)
        assert "HttpOnly" in made and "SameSite=Lax" in made, made
        first = cookie
        assert ask("/")[0] == 200
        cookie = None
        assert ask(link[link.index("/enter"):])[0] == 401, "a link opens once"
        cookie = "volley_session=" + "0" * 64
        assert ask("/")[0] == 401
        cookie = first
        # By another name, as a page whose name leads here; and from another site.
        assert ask("/", host="evil.example:80")[0] == 421
        for headers in [{"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}]:
            assert ask("/leave", "POST", headers)[0] == 403, headers
            assert ask("/links", "POST", headers)[0] == 403, headers
        assert ask("/")[0] == 200, "nobody was logged out"
        own = {"Origin": f"http://127.0.0.1:{port}"}
        status, _, body = ask("/links", "POST", own)
        second = [word for word in Page(body).text.split() if word.startswith("http")][0]
        assert ask("/leave", "POST", own)[0] == 200
        status, _, body = ask("/")
        assert status == 401 and 'href="/fire"' not in body.decode(), "a session that ended"
        cookie = None
        enter(second)
        assert ask("/")[0] == 200
        for path in ["/../../etc/passwd", "/assets/../../etc/passwd", "/assets/%2e%2e%2f%2e%2e%2fetc/passwd",
                     f"/captures/{id}/photos/..%2f..%2fleft/1", f"/captures/{id}/photos/left/0", "/captures/x", "/captures/1"]:
            assert ask(path)[0] == 404, path
        for path in ["/", "/api/v1/captures"]:
            status, headers, _ = ask(path, "DELETE", own)
            assert status == 405 and headers["Allow"] == ("GET, HEAD" if path == "/" else "GET, HEAD, POST"), (path, headers)
        for path in ["/links", "/nowhere"]:
            status, headers, body = ask(path, "HEAD")
            assert status in (404, 405) and body == b"", (path, status, body)
        finish()
        """

    static let captures = """
        link, id = words
        enter(link)
        status, _, body = ask("/")
        page = Page(body)
        assert status == 200 and page.scripts == ["/assets/console.js"], page.scripts
        assert "<script>alert(1)</script>" in page.text and "b" not in page.tags
        # A mark before it makes no text of it.
        assert "i" not in page.tags and "\\u0d4e<i>" in page.text, page.text
        assert f"/captures/{id}" in page.links
        for asset in ["/assets/console.js", "/assets/capture.js", "/assets/fire.js", "/assets/console.css", "/assets/icon.svg"]: assert ask(asset)[0] == 200, asset
        status, headers, body = ask(page.images[0])
        assert status == 200 and headers["Content-Type"] == "image/jpeg" and body[:2] == b"\\xff\\xd8"
        status, _, body = ask(f"/captures/{id}")
        page = Page(body)
        assert status == 200 and page.scripts == ["/assets/console.js", "/assets/capture.js"], page.scripts
        assert len(page.images) == 6, page.images
        # Two nodes in three steps; nothing in a plot but what XML is.
        text = body.decode()
        plots = [xml.etree.ElementTree.fromstring("<svg" + part.split("</svg>")[0] + "</svg>") for part in text.split("<svg")[1:]]
        assert [len(plots), len(plots[0].findall("rect")), len(plots[1].findall("circle"))] == [3, 6, 6], plots
        assert len(plots[2].findall("circle")) == len(json.loads(ask(f"/api/v1/captures/{id}")[2])["events"])
        status, _, body = ask(f"/api/v1/captures/{id}")
        capture = json.loads(body)
        assert capture["state"] == "complete" and len(capture["photos"]) == 6
        for photo in capture["photos"]:
            address = f"/captures/{id}/photos/{photo['node']}/{photo['photoCount']}"
            for prefix in ["", "/api/v1"]:
                status, headers, body = ask(prefix + address)
                assert status == 200 and hashlib.sha256(body).hexdigest() == photo["sha256"], address
            tag = {"If-None-Match": headers["ETag"]}
            assert ask(address, headers=tag)[0] == 304 and ask(address + "/thumbnail", headers=tag)[0] == 304
            status, _, small = ask(address + "/thumbnail")
            assert status == 200 and len(small) < len(body)
            assert ask(address, "HEAD")[0] == 200
        # Questions, and what is none.
        found = lambda query: json.loads(ask("/api/v1/captures?" + query)[2])
        assert found("session=%3Cscript%3Ealert(1)%3C%2Fscript%3E")["matchCount"] == 1
        assert found("session=tuesday") == {"captures": [], "matchCount": 0, "remarks": ["There is no session 'tuesday'."]}
        assert found("node=le*&state=complete&since=1h")["matchCount"] == 1
        assert found("until=1000000000000000")["matchCount"] == 0
        for query in ["state=done", "minRating=9", "label=x", "limit=0", "limit=1001", "since=soon", "node=%FF", "order=x", "sate=failed"]:
            status, headers, body = ask("/api/v1/captures?" + query)
            assert status == 400 and headers["Content-Type"] == "application/problem+json", query
            assert query.split("=")[0] in json.loads(body)["detail"], body
            assert ask("/?" + query)[0] == 400
        assert len(json.loads(ask("/api/v1/nodes")[2])) == 2
        page = Page(ask("/nodes")[2])
        assert "2 of 2 nodes ready" in page.text and "captures like the last complete one" in page.text, page.text
        # Each path of its own description is there.
        described = json.loads(ask("/api/v1/openapi.json")[2])
        for path in described["paths"]:
            if path == "/events" or "get" not in described["paths"][path]: continue
            if path == "/previews": path += "?seen=left:0"
            if path.endswith("/export.zip"): path += "?to=colmap"
            place = path.replace("{id}", id).replace("{node}", "left").replace("{photoCount}", "1")
            status, headers, _ = ask("/api/v1" + place)
            end = time.time() + 60
            # A busy node may have no picture for a while.
            while status == 503 and place.endswith("/preview") and time.time() < end: status, headers, _ = ask("/api/v1" + place)
            answers = described["paths"][path.split("?")[0]]["get"]["responses"]["200"]["content"]
            assert status == 200 and headers.get_content_type() in answers, (path, status, headers["Content-Type"])
        finish()
        """

    static let previews = """
        import email, io, threading
        from PIL import Image
        link, volley, left = words
        enter(link)

        def look(*seen, size="tile"):
            query = urllib.parse.urlencode([("size", size)] + [("seen", one) for one in seen])
            status, headers, data = ask("/api/v1/previews?" + query)
            assert status == 200, data
            message = email.message_from_bytes(b"Content-Type: " + headers["Content-Type"].encode() + b"\\r\\n\\r\\n" + data)
            first, *rest = message.get_payload()
            said = json.loads(first.get_payload())
            # As MIME has it, not as the console counts.
            pictures = [Image.open(io.BytesIO(part.get_payload(decode=True))) for part in rest]
            assert [part.get_content_type() for part in rest] == ["image/jpeg"] * len(said["pictures"])
            for picture in pictures: picture.load()
            return said, pictures

        # Until both have come: one may be a tick later.
        seen, shown = {"left": 0, "right": 0}, {}
        while len(shown) < 2:
            said, pictures = look(*(f"{node}:{number}" for node, number in seen.items()))
            for one, picture in zip(said["pictures"], pictures):
                assert one["number"] > seen[one["node"]] and (one["width"], one["height"]) == (640, 480), one
                seen[one["node"]], shown[one["node"]] = one["number"], picture
        assert all(picture.size == (320, 240) for picture in shown.values())
        assert shown["left"].tobytes() != shown["right"].tobytes()
        # Another frame, and not the same once more; a busy node may have none for a while.
        pictures, end = [], time.time() + 60
        while not pictures:
            assert time.time() < end
            said, pictures = look(f"left:{seen['left']}")
        assert said["pictures"][0]["number"] > seen["left"] and pictures[0].tobytes() != shown["left"].tobytes()
        def picture(node, size):
            end = time.time() + 60
            while True:
                status, _, data = ask(f"/api/v1/nodes/{node}/preview?size={size}")
                if status == 200: return Image.open(io.BytesIO(data))
                assert status == 503 and time.time() < end, data
        assert picture("left", "large").size == (640, 480)
        # A capture goes before, and loses nothing by those who look.
        over, counts = threading.Event(), [0, 0]
        def watch(index, size):
            while not over.is_set(): counts[index] += len(look("left:0", "right:0", size=size)[0]["pictures"])
        watchers = [threading.Thread(target=watch, args=one) for one in enumerate(["tile", "large"])]
        for one in watchers: one.start()
        fired = subprocess.run([volley, "fire", "--auto", "-2,0,2", "--wait", "--json"], capture_output=True, text=True)
        over.set()
        for one in watchers: one.join()
        capture = json.loads(fired.stdout)
        assert capture["state"] == "complete", fired
        assert all(photo["verification"] == "verified" for photo in capture["photos"]), fired
        assert all(counts), counts
        # Set by hand, a camera shows it; one value that a camera does not take, and that camera is left as it was.
        from PIL import ImageStat
        def camera(node): return {one["property"]: one for one in json.loads(ask(f"/api/v1/nodes/{node}/camera")[2])["properties"]}
        def light(node): return ImageStat.Stat(picture(node, "tile").convert("L")).mean[0]
        before = light("right")
        status, told = post("/api/v1/cameras", {"nodes": ["ri*"], "settings": {"exposureDuration": "1/2000", "iso": "100"}})
        assert status == 200 and [one["node"] for one in told] == ["right"] and "error" not in told[0], told
        assert camera("right")["exposureDuration"]["value"] == "1/2000 s" and camera("right")["exposureDuration"]["isKept"]
        end = time.time() + 60
        while light("right") > 0.5 * before: assert time.time() < end
        assert camera("left")["exposureMode"]["value"] == "continuousAutoExposure"
        status, told = post("/api/v1/cameras", {"nodes": ["*"], "settings": {"exposureDuration": "1/2000", "iso": "99999"}})
        assert status == 200 and all("iso" in one["error"]["message"].lower() for one in told) and len(told) == 2, told
        assert camera("left")["exposureMode"]["value"] == "continuousAutoExposure"
        for document, word in [({}, "nodes"), ({"nodes": ["*"]}, "settings"), ({"nodes": ["*"], "settings": {}}, "settings"),
                               ({"nodes": ["*"], "settings": {"isos": "1"}}, "isos"), ({"nodes": ["a b"], "reset": True}, "a b"),
                               ({"nodes": ["*"], "settings": {"iso": "1"}, "reset": True}, "either"), ({"nodes": "left", "reset": True}, "nodes")]:
            status, told = post("/api/v1/cameras", document)
            assert status == 400 and word in told["detail"], (document, told)
        # The page says no and keeps what was typed; what was not changed is not set.
        status, _, data = submit("/live/left/camera", act="set", to="left", exposureDuration="ten", **{"was-exposureDuration": "1/60 s"})
        assert status == 400 and b'value="ten"' in data and "not 'ten'" in Page(data).text, data
        status, _, data = submit("/live/left/camera", act="set", to="left", iso="100", **{"was-iso": "100"})
        assert status == 400 and "Nothing was changed" in Page(data).text, data
        status, _, data = submit("/live/left/camera", act="reset", to="*")
        assert status == 200 and "Reset on left, right" in Page(data).text, data
        assert camera("right")["exposureMode"]["value"] == "continuousAutoExposure"
        # What there is not.
        assert look("nobody:0")[0]["problems"] == {"nobody": "It is not connected."}
        for path, word in [("/previews", "1 to 1000"), ("/previews?seen=left", "seen"), ("/previews?seen=left:-1", "seen"),
                           ("/previews?seen=left:0&size=huge", "size"), ("/previews?sen=left:0", "sen"),
                           ("/nodes/left/preview?size=0", "size")]:
            status, _, data = ask("/api/v1" + path)
            assert status == 400 and word in json.loads(data)["detail"], (path, data)
        assert ask("/api/v1/nodes/nobody/preview")[0] == 404 and ask("/live/nobody")[0] == 404
        page = Page(ask("/live")[2])
        assert ask("/api/v1/nodes/nobody/camera")[0] == 404
        assert "/live/left" in page.links and "/live/right" in Page(ask("/live/left")[2]).links
        # A node that hangs is told of, and seen again when it is back.
        os.kill(int(left), signal.SIGSTOP)
        status, _, data = ask("/api/v1/nodes/left/preview")
        end = time.time() + 20
        # First it is slow, then it is gone.
        while status != 503 or not any(word in json.loads(data)["detail"] for word in ["no picture", "not connected"]):
            assert time.time() < end, data
            status, _, data = ask("/api/v1/nodes/left/preview")
        os.kill(int(left), signal.SIGCONT)
        end = time.time() + 60
        while ask("/api/v1/nodes/left/preview")[0] != 200: assert time.time() < end
        finish()
        """

    static let downloads = """
        import io, zipfile
        link, id, library = words
        enter(link)
        def files(path):
            status, headers, body = ask(path)
            assert status == 200 and headers["Content-Type"] == "application/zip", (path, status, body[:500])
            archive = zipfile.ZipFile(io.BytesIO(body))
            assert archive.testzip() is None
            return {name: archive.read(name) for name in archive.namelist()}
        capture = json.loads(ask(f"/api/v1/captures/{id}")[2])
        whole = {f"{id}/{id}_{photo['node']}_{photo['photoCount']}.jpg":
            open(os.path.join(library, photo["path"]), "rb").read() for photo in capture["photos"]}
        assert len(whole) == 6
        for path in [f"/captures/{id}/photos.zip", f"/api/v1/captures/{id}/photos.zip", "/photos.zip?state=complete"]:
            found = files(path)
            assert json.loads(found.pop(f"{id}/capture.json")) == capture
            assert found == whole, (path, found.keys())
        second = files(f"/api/v1/photos.zip?id={id}&step=2&format=jpeg")
        assert len(second) == 3 and all("_2" in name or "capture" in name for name in second), second.keys()
        for page in ["/?state=complete", f"/captures/{id}"]:
            link = [link for link in Page(ask(page)[2]).links if "photos.zip" in link]
            assert len(link) == 1 and files(link[0]).keys() == whole.keys() | {f"{id}/capture.json"}, link
        assert not [link for link in Page(ask("/?session=nobody")[2]).links if "photos.zip" in link]
        for path, wanted in [("?step=0", 400), ("?steps=1", 400), ("?format=png", 400), ("?session=nobody", 404)]:
            assert ask("/api/v1/photos.zip" + path)[0] == wanted, path
        assert ask("/api/v1/captures/17/photos.zip")[0] == 404
        # Somebody who has had enough.
        for _ in range(40):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("GET", f"/captures/{id}/photos.zip", headers={"Cookie": cookie})
            assert connection.getresponse().status in (200, 503)
            connection.close()
        end = time.time() + 60
        while ask(f"/captures/{id}/photos.zip")[0] == 503 and time.time() < end: time.sleep(0.1)
        assert files(f"/captures/{id}/photos.zip").keys() == whole.keys() | {f"{id}/capture.json"}
        finish()
        """

    static let damage = """
        import io, zipfile
        link, id, gone, damaged = words
        enter(link)
        os.remove(gone)
        data = open(damaged, "rb").read()
        os.remove(damaged)
        open(damaged, "wb").write(data[:100])
        photos = json.loads(ask(f"/api/v1/captures/{id}")[2])["photos"]
        lost = [photo for photo in photos if gone.endswith(photo["path"])][0]
        cut = [photo for photo in photos if damaged.endswith(photo["path"])][0]
        address = lambda photo: f"/captures/{id}/photos/{photo['node']}/{photo['photoCount']}"
        for path in [address(lost), address(lost) + "/thumbnail", address(cut), address(cut) + "/thumbnail"]:
            status, _, body = ask(path)
            assert status == 404 and "volley verify" in Page(body).text, (path, status)
        archive = zipfile.ZipFile(io.BytesIO(ask(f"/captures/{id}/photos.zip")[2]))
        assert archive.testzip() is None and len(archive.namelist()) == 6, archive.namelist()
        told = archive.read("MISSING.txt").decode()
        assert len(told.splitlines()) == 2 and told.count("volley verify") == 2, told
        assert ask(f"/captures/{id}")[0] == 200
        finish()
        """

    static let stream = """
        def listen(after=None, path="/api/v1/events"):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            headers = {"Cookie": cookie}
            if after is not None: headers["Last-Event-ID"] = str(after)
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            assert answer.status == 200 and answer.headers["Content-Type"] == "text/event-stream", answer.status
            event = {}
            while True:
                line = answer.readline().decode()
                assert line, "the stream has no end"
                line = line.rstrip("\\n")
                if line == "":
                    # Of the alarms, which come whenever they change, another test has its say.
                    if "data" in event and event["event"] != "alarms": yield event
                    event = {}
                elif not line.startswith(":"):
                    name, _, value = line.partition(": ")
                    event[name] = value

        """

    static let events =
        stream + """
            link, volley, coordinator = words
            enter(link)
            news = listen()
            first = next(news)
            assert first["event"] == "coordinator" and json.loads(first["data"]) == {"isAway": False}, first
            fired = subprocess.Popen([volley, "fire", "--burst", "2", "--format", "jpeg", "--wait"], stdout=subprocess.PIPE)
            seen = []
            for event in news:
                seen.append(event)
                told = json.loads(event["data"])
                if event["event"] == "captureNotice" and told["state"] == "complete": break
            id = int(fired.communicate()[0])
            assert told["uniqueID"] == id and told["storedPhotoCount"] == 4, told
            assert all(int(one["id"]) < int(other["id"]) for one, other in zip(seen, seen[1:]))
            # Of whoever comes back nothing is kept, from the middle as from the beginning of all.
            middle = len(seen) // 2
            again = listen(seen[middle]["id"])
            assert next(again)["event"] == "coordinator"
            for event in seen[middle + 1:]: assert next(again) == event
            everything = listen(0)
            assert next(everything)["event"] == "coordinator"
            last = 0
            while last < int(seen[-1]["id"]):
                event = next(everything)
                told = json.loads(event["data"])
                assert told["previous"] == last, (told, last)
                last = int(event["id"])
            # One that never reads keeps nobody up.
            deaf = http.client.HTTPConnection("127.0.0.1", port)
            deaf.request("GET", "/api/v1/events?after=0", headers={"Cookie": cookie})
            assert ask("/")[0] == 200
            os.kill(int(coordinator), signal.SIGKILL)
            for event in news:
                if event["event"] == "coordinator": break
            assert json.loads(event["data"]) == {"isAway": True}, event
            status, headers, body = ask("/api/v1/nodes")
            assert status == 503 and json.loads(body)["status"] == 503, status
            # What may have been fired is asked for by the same request.
            status, _, body = submit("/fire", act="fire", requestID="once", plan="bracket: {burst: 1}")
            assert status == 503 and "not known whether it was fired" in Page(body).text, Page(body).text
            assert 'name="requestID" value="once"' in body.decode()
            open(os.path.join(os.path.dirname(__file__), "cookie"), "w").write(cookie)
            finish()
            """

    static let back =
        stream + """
            cookie = open(os.path.join(os.path.dirname(__file__), "cookie")).read()
            for event in listen():
                if event["event"] == "coordinator" and json.loads(event["data"]) == {"isAway": False}: break
            assert ask("/")[0] == 200
            finish()
            """

    /// Browsers that stay, of which one never reads.
    static let listeners =
        stream + """
            cookie = open(os.path.join(os.path.dirname(__file__), "cookie")).read()
            deaf = http.client.HTTPConnection("127.0.0.1", port)
            deaf.request("GET", "/api/v1/events?after=0", headers={"Cookie": cookie})
            for event in listen(0):
                print("listening", flush=True)
            """
}
