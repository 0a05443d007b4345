/// What somebody does in pages and over HTTP, in Python.
extension ConsoleTests {
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
        assert status == 200 and told["canFire"] is False, told
        assert told["objections"] == ["left, right: The bracket has 500 steps; its camera takes at most 64."], told
        for plain, word in [("bracket: {burst: 0}", "empty"), ("brackets: 1", "brackets"), ("{", "the plan:")]:
            status, told = post("/api/v1/check", {"plan": plain})
            assert status == 200 and told["canFire"] is False and word in told["reason"], (plain, told)
        status, told = post("/api/v1/captures", {"requestID": "many", "plan": many})
        assert status == 400 and len(told["details"]) == 1, told
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
        for fields, word in [({"labels": "nonsense"}, "KEY=VALUE"), ({"labels": "k="}, "no value"), ({"labels": "=v"}, "has a key"),
                             ({"count": "-1"}, "1 to"), ({"at": "soon"}, "'at'"), ({"every": "10s"}, "How many"),
                             ({"at": "2020-01-01"}, "ago"), ({"subject": "x" * 300}, "200"), ({"plan": "brackets: 1"}, "brackets")]:
            told = checked(**fields)
            assert not told["canFire"] and word in told["verdict"], (fields, told)
        told = checked(at="2h", labels="a=b")
        assert told["canFire"] and ", at 20" in told["verdict"] and told["verdict"].endswith(", in 2 h 0 min."), told
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
            pending = json.loads(ask("/api/v1/pending")[2])
            assert [(one["uniqueID"], one["standing"], one["nodes"]) for one in pending] == [
                (armed["uniqueID"], "armed", ["left", "right"])], pending
            status, told = post("/api/v1/" + place.format(armed["uniqueID"]), {})
            assert status == 202 and told["uniqueID"] == armed["uniqueID"], told
            assert settle(armed["uniqueID"])["state"] == "complete"
            assert post(f"/api/v1/captures/{armed['uniqueID']}/release", {})[0] == 409, "it is over"
        # Pressed once more, it is what was fired.
        assert submit(f"/captures/{armed['uniqueID']}/release")[0] == 303
        status, headers, _ = submit("/fire", act="arm", requestID="by hand", plan=text)
        shown = Page(ask(headers["Location"])[2]).text
        assert status == 303 and "Armed: left, right; the first exposure begins" in shown, shown
        assert ": armed" in Page(ask("/fire")[2]).text
        place = headers["Location"].split("?")[0]
        # Who has just armed it is at the shutter; whoever comes by is not.
        assert "autofocus" in ask(headers["Location"])[2].decode() and "autofocus" not in ask(place)[2].decode()
        assert submit(place + "/cancel")[0] == 303
        settle(place.split("/")[-1])
        # What is over has no shutter; its page says so, and stays.
        status, _, body = submit(place + "/release")
        assert status == 409 and "is not armed" in Page(body).text and "cancelled: 0 of 2" in Page(body).text, Page(body).text
        assert json.loads(ask("/api/v1/pending")[2]) == []
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
        status, told = post("/api/v1/series", {**every, "subject": "jug"})
        assert status == 400 and "another subject" in told["detail"], told
        status, told = post("/api/v1/series", {**every, "count": 3})
        assert status == 400 and "another interval or number" in told["detail"], told
        assert 'name: &quot;api&quot;\\nbracket: {&quot;autoExposure&quot;:[-1,1]}' in ask("/fire?series=series")[2].decode()
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
}
