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
        assert look("nobody:0")[0]["problems"] == {"nobody": "It is not connected, or there is no such node."}
        for path, word in [("/previews", "1 to 1000"), ("/previews?seen=left", "seen"), ("/previews?seen=left:-1", "seen"),
                           ("/previews?seen=left:0&size=huge", "size"), ("/previews?sen=left:0", "sen"),
                           ("/nodes/left/preview?size=0", "size")]:
            status, _, data = ask("/api/v1" + path)
            assert status == 400 and word in json.loads(data)["detail"], (path, data)
        assert ask("/api/v1/nodes/nobody/preview")[0] == 404 and ask("/live/nobody")[0] == 404
        page = Page(ask("/live")[2])
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

    static let acts = """
        link, id = words
        enter(link)
        plan = {"name": "api", "bracket": {"autoExposure": [-1, 1]}, "formats": ["jpeg"]}
        status, told = post("/api/v1/check", {"plan": plan})
        assert status == 200 and told["expectedPhotoCount"] == 4 and told["nodes"] == ["left", "right"], told
        text = "bracket: {autoExposure: [0]}"
        assert post("/api/v1/check", {"plan": text})[1]["expectedPhotoCount"] == 2
        # Chosen nodes, in place of the plan's.
        for choice, chosen in [({"nodes": ["l*"]}, ["left"]), ({"groups": ["rest"]}, ["right"]), ({"groups": []}, ["left", "right"]),
                               ({"nodes": ["left"], "groups": ["rest"]}, ["left", "right"])]:
            status, told = post("/api/v1/check", {"plan": {**plan, "nodes": ["right"]} if choice != {"groups": []} else plan, **choice})
            assert status == 200 and told["nodes"] == chosen, (choice, told)
        for choice, word in [({"groups": ["attic"]}, "attic"), ({"nodes": ["<b>"]}, "nodes"), ({"nodes": ["top"]}, "top")]:
            status, told = post("/api/v1/check", {"plan": plan, **choice})
            assert status == 200 and not told["canFire"] and word in told["reason"], (choice, told)
        # What the rig objects to, and what is none.
        many = {"bracket": {"autoExposure": [0.001 * step for step in range(500)]}}
        status, told = post("/api/v1/check", {"plan": many})
        assert status == 200 and told["canFire"] is False and len(told["objections"]) == 2, told
        for plain, word in [("bracket: {burst: 0}", "empty"), ("brackets: 1", "brackets"), ("{", "the plan:")]:
            status, told = post("/api/v1/check", {"plan": plain})
            assert status == 200 and told["canFire"] is False and word in told["reason"], (plain, told)
        status, told = post("/api/v1/captures", {"requestID": "many", "plan": many})
        assert status == 400 and len(told["details"]) == 2, told
        for members, word in [({"labels": {"a": 1}}, "'labels.a' should be text"), ({"queue": 1}, "'queue' should be true or false"),
                              ({"nodes": "left"}, "'nodes' should be a list"), ({"nodes": [1]}, "'nodes.1' should be text")]:
            status, told = post("/api/v1/check", {"plan": plan, **members})
            assert status == 200 and not told["canFire"] and word in told["reason"], (members, told)
        for document, word in [({}, "plan"), ({"plan": 5}, "plan"),
                               ({"plan": plan, "x": 1}, "'x'")]:
            status, told = post("/api/v1/check", document)
            assert status == 400 and word in told["detail"], (document, told)
        assert ask("/api/v1/check", "POST", body="{}")[0] == 415
        assert ask("/api/v1/check", "POST", {"Content-Type": "application/json"}, body="{")[0] == 400
        assert post("/api/v1/check", {"plan": "x" * 300000})[0] == 413
        order = {"requestID": "one", "plan": plan, "session": "api", "labels": {"by": "python"}}
        for headers in [{"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}]:
            assert post("/api/v1/captures", order, headers)[0] == 403, headers
        assert post("/api/v1/captures", {**order, "requestID": 5})[0] == 400
        assert post("/api/v1/captures", {"plan": plan})[0] == 400
        status, fired = post("/api/v1/captures", order)
        assert status == 202, fired
        assert post("/api/v1/captures", order) == (202, fired), "the same request is the same capture"
        status, told = post("/api/v1/captures", {**order, "plan": {"bracket": {"burst": 1}}})
        assert status == 400 and str(fired["uniqueID"]) in told["detail"] and "another plan" in told["detail"], told
        def settle(capture):
            while True:
                found = json.loads(ask(f"/api/v1/captures/{capture}")[2])
                if found["state"] in ("complete", "partial", "failed", "cancelled"): return found
                time.sleep(0.1)
        capture = settle(fired["uniqueID"])
        assert capture["state"] == "complete" and capture["session"] == "api" and capture["labels"] == {"by": "python"}, capture
        assert json.loads(ask("/api/v1/captures?session=api")[2])["matchCount"] == 1
        # The page: its form, once, and what is wrong beside what was written.
        page = ask("/fire")[2].decode()
        number = page.split('name="requestID" value="')[1].split('"')[0]
        status, _, body = submit("/fire", act="load", library="a & b", requestID=number, plan=text, session="kept")
        assert status == 200 and "# of the house" in Page(body).text and 'value="kept"' in body.decode(), Page(body).text
        assert "<option>a &amp; b</option>" in page, page
        for name in ["none", "../none", "a b", ""]:
            assert submit("/fire", act="load", library=name, requestID=number, plan=text)[0] == 404, name
        like = Page(ask(f"/fire?like={fired['uniqueID']}")[2])
        assert '"autoExposure"' in like.text and "by=python" in like.text, like.text
        again = html.unescape(ask(f"/fire?like={fired['uniqueID']}")[2].decode().split('spellcheck="false">')[1].split("</textarea>")[0])
        assert post("/api/v1/check", {"plan": again})[1]["expectedPhotoCount"] == 4, again
        status, _, body = submit("/fire", act="check", requestID=number, plan=text, nodes="left, r*", group="rest")
        assert status == 200 and "2 photos of 2 nodes." in Page(body).text and 'value="rest" checked' in body.decode()
        status, _, body = submit("/fire", act="check", requestID=number, plan=text, nodes="attic", group="attic")
        assert status == 400 and "attic" in Page(body).text and 'value="attic" checked' in body.decode(), Page(body).text
        status, _, body = submit("/fire", act="check", requestID=number, plan=text, labels="nonsense", session="<i>")
        assert status == 400 and "KEY=VALUE" in Page(body).text and "i" not in Page(body).tags and "autoExposure" in Page(body).text
        status, _, body = submit("/fire", act="check", requestID=number, plan=text)
        assert status == 200 and "It can be fired: 2 photos of 2 nodes." in Page(body).text, Page(body).text
        # All of the form is checked, and what it was taken for is said.
        def checked(**fields):
            status, headers, body = submit("/fire/check", **{"requestID": number, "plan": text, **fields})
            assert status == 200 and headers["Content-Type"] == "application/json", status
            return json.loads(body)
        for fields, word in [({"labels": "nonsense"}, "KEY=VALUE"), ({"at": "soon"}, "'at'"), ({"every": "10s"}, "How many"),
                             ({"at": "2020-01-01"}, "ago"), ({"subject": "x" * 300}, "200"), ({"plan": "brackets: 1"}, "brackets")]:
            told = checked(**fields)
            assert not told["canFire"] and word in told["verdict"], (fields, told)
        told = checked(at="2h", labels="a=b")
        assert told["canFire"] and ", at 20" in told["verdict"] and told["verdict"].endswith(", in 1 h 59 min."), told
        told = checked(every="2s", count="3")
        assert told["canFire"] and told["verdict"].endswith(", 3 times, one every 2 s.") and told["nodes"] == ["left", "right"], told
        told = checked(plan="bracket: {burst: 20}", every="100ms", count="3")
        assert told["canFire"] and told["details"][0].startswith("The interval is too short"), told
        # What was pressed and refused is said beside what can be fired.
        status, _, body = submit("/fire", act="fire", requestID=number, plan=text, labels="nonsense")
        assert status == 400 and "Not fired: A label is KEY=VALUE" in Page(body).text, Page(body).text
        assert f'name="requestID" value="{number}"' not in body.decode(), "what is sent after an answer is another capture"
        fields = {"act": "fire", "requestID": number, "plan": text, "labels": "a=b\\r\\nc = d", "subject": "vase"}
        status, headers, _ = submit("/fire", **fields)
        assert status == 303, status
        assert submit("/fire", **fields)[1]["Location"] == headers["Location"]
        second = headers["Location"].split("/")[-1]
        capture = settle(second)
        assert capture["state"] == "complete" and capture["labels"] == {"a": "b", "c": "d"} and capture["subject"] == "vase", capture
        # Armed, and the shutter: of one that is named, and of the only one.
        assert post("/api/v1/armed/release", {})[0] == 409, "nothing is armed"
        for number, place in enumerate(["captures/{}/release", "armed/release"]):
            status, armed = post("/api/v1/armed", {"requestID": f"armed {number}", "plan": plan})
            assert status == 200 and armed["nodes"] == ["left", "right"] and armed["leadNanoseconds"] > 0, armed
            assert post("/api/v1/armed", {"requestID": f"armed {number}", "plan": plan})[1]["uniqueID"] == armed["uniqueID"]
            assert post("/api/v1/captures", {"requestID": f"armed {number}", "plan": plan})[0] == 400, "it is armed, not fired"
            status, told = post("/api/v1/" + place.format(armed["uniqueID"]), {})
            assert status == 202 and told["uniqueID"] == armed["uniqueID"], told
            assert settle(armed["uniqueID"])["state"] == "complete"
            assert post(f"/api/v1/captures/{armed['uniqueID']}/release", {})[0] == 409, "it is over"
        assert post("/api/v1/armed", {"requestID": "armed 2", "plan": plan, "at": "+5s"})[0] == 400
        assert post("/api/v1/armed", {"requestID": "armed 3", "plan": many})[0] == 400
        # The same plan is the same, whatever the order in which its members come.
        for number in range(5):
            nodes = ["left", "right"] if number % 2 else ["right", "left"]
            shifted = {"requestID": "shifted", "plan": {**plan, "offsets": {node: "0ms" if node == "left" else "20ms" for node in nodes}}}
            status, told = post("/api/v1/captures", shifted)
            assert status == 202, told
        settle(told["uniqueID"])
        # A series: the same once more, another plan, and what a capture of it could not have.
        every = {"requestID": "series", "plan": plan, "every": "1h", "count": 2, "at": "+1h"}
        status, begun = post("/api/v1/series", every)
        assert status == 202 and post("/api/v1/series", every)[1]["number"] == begun["number"], begun
        status, told = post("/api/v1/series", {**every, "plan": {"bracket": {"burst": 1}}})
        assert status == 400 and "another plan" in told["detail"], told
        status, told = post("/api/v1/series", {**every, "requestID": "long", "subject": "y" * 300})
        assert status == 400 and "200" in told["detail"], told
        assert not checked(subject="y" * 300, every="1h", count="2")["canFire"]
        assert post(f"/api/v1/series/{begun['number']}/stop", {})[0] == 200
        # Opinions.
        assert submit(f"/captures/{id}/annotation", rating="4")[0] == 303
        assert submit(f"/captures/{id}/annotation", note="<b>a</b>")[0] == 303
        assert "b" not in Page(ask(f"/captures/{id}")[2]).tags
        assert post(f"/api/v1/captures/{id}/annotation", {"rejected": True, "labels": {"k": "v"}})[0] == 200
        told = json.loads(ask(f"/api/v1/captures/{id}")[2])
        assert (told["rating"], told["note"], told["isRejected"], told["labels"]["k"]) == (4, "<b>a</b>", True, "v"), told
        assert submit(f"/captures/{id}/annotation", note="", **{"was-note": "<b>a</b>"})[0] == 303
        assert "note" not in json.loads(ask(f"/api/v1/captures/{id}")[2])
        # What was changed in the page since, and nothing that was changed elsewhere meanwhile.
        before = told["labels"]
        lines = lambda labels: "\\r\\n".join(f"{key}={value}" for key, value in labels.items())
        assert post(f"/api/v1/captures/{id}/annotation", {"labels": {"elsewhere": "x"}, "subject": "vase"})[0] == 200
        fields = {"was-session": told["session"], "session": "tuesday", "was-subject": "", "subject": "", "was-labels": lines(before)}
        changed = {key: value for key, value in before.items() if key != "k"} | {"who": "anna = b"}
        assert submit(f"/captures/{id}/annotation", labels=lines(changed), **fields)[0] == 303
        told = json.loads(ask(f"/api/v1/captures/{id}")[2])
        assert (told["session"], told["subject"], told["labels"]) == ("tuesday", "vase", changed | {"elsewhere": "x"}), told
        status, _, body = submit(f"/captures/{id}/annotation", session="tuesday", **{"was-session": "tuesday"})
        assert status == 400 and "Nothing was changed." in Page(body).text, Page(body).text
        fields = {"labels": "nonsense", "was-labels": "", "session": "friday", "was-session": "monday"}
        status, _, body = submit(f"/captures/{id}/annotation", **fields)
        page = body.decode()
        assert status == 400 and "KEY=VALUE" in page and "nonsense</textarea>" in page and 'name="session" value="friday"' in page, page
        # Nor is what was changed elsewhere taken for what was here when it was typed.
        assert 'name="was-session" value="monday"' in page and 'name="was-labels" value=""' in page and "<details open>" in page, page
        assert ask(f"/captures/{id}/annotation")[1]["Location"] == f"/captures/{id}"
        # Whoever is inside goes on from what went wrong.
        assert 'href="/fire"' in ask("/nowhere")[2].decode()
        for document in [{"rating": 6}, {"rating": "4"}, {}, {"stars": 1}]:
            assert post(f"/api/v1/captures/{id}/annotation", document)[0] == 400, document
        # Of one photo, and of no other.
        photo = f"/captures/{id}/photos/right/2"
        assert submit(photo + "/annotation", rating="2")[1]["Location"] == photo + "/view"
        fields = {"rejected": "true", "view": "left/1", "beside": "right/2"}
        assert submit(photo + "/annotation", **fields)[1]["Location"] == f"/captures/{id}/photos/left/1/view?beside=right/2"
        assert submit(photo + "/annotation", rating="2", view="//evil.example/1")[0] == 400
        assert post("/api/v1" + photo + "/annotation", {"note": "soft"}) == (200, {"captureCount": 1, "photoCount": 1})
        def said(photo): return (photo.get("rating"), photo.get("isRejected"), photo.get("note"))
        told = {(one["node"], one["photoCount"]): said(one) for one in json.loads(ask(f"/api/v1/captures/{id}")[2])["photos"]}
        assert told.pop(("right", 2)) == (2, True, "soft") and set(told.values()) == {(None, None, None)}, told
        assert post("/api/v1" + photo + "/annotation", {"session": "x"})[0] == 400
        assert post(f"/api/v1/captures/{id}/photos/right/99/annotation", {"rating": 1})[0] == 404
        # What captures begin and end with is no capture.
        for part in ["12", id[:3], id[-3:]]:
            assert post(f"/api/v1/captures/{part}/annotation", {"rating": 1})[0] == 404, part
        assert json.loads(ask(f"/api/v1/captures/{id}")[2])["rating"] == 4
        # One that waits for its time is given up; one that is over cannot be.
        status, waiting = post("/api/v1/captures", {"requestID": "later", "plan": plan, "at": "+60s"})
        assert status == 202, waiting
        assert post(f"/api/v1/captures/{waiting['uniqueID']}/cancel", {})[0] == 202
        assert settle(waiting["uniqueID"])["state"] == "cancelled"
        assert post(f"/api/v1/captures/{id}/cancel", {})[0] == 409
        assert post("/api/v1/captures", {"requestID": "when", "plan": plan, "at": "soon"})[0] == 400
        finish()
        """

    static let watching = """
        enter(words[0])
        assert ask("/")[0] == 200
        plan = {"bracket": {"burst": 1}}
        assert post("/api/v1/check", {"plan": plan})[0] == 200
        status, told = post("/api/v1/captures", {"requestID": "watcher", "plan": plan})
        assert status == 403 and "watch" in told["detail"], told
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
