"""Drives the console of a rig of four vivid cameras with Chromium, as an operator would.

vivid.py LINK SHARE PICTURES: the console's link, the folder that cockpit.sh looks into, and a folder for screenshots of each
page, for people to look at. Ends with an error where a page does not come to what it should.
"""

import os
import sys
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains

NODES = ["cam-0", "cam-1", "cam-2", "cam-3"]
# An emulated machine takes its time.
PATIENCE = 180


def wait(what, found):
    end = time.time() + PATIENCE
    while True:
        try:
            if value := found():
                return value
        except Exception:
            if time.time() > end:
                raise
        assert time.time() < end, what
        time.sleep(0.5)


class Cockpit:
    def __init__(self, pictures):
        options = webdriver.ChromeOptions()
        for word in ["--headless=new", "--no-sandbox", "--window-size=1280,900"]:
            options.add_argument(word)
        options.add_experimental_option("prefs", {"download.default_directory": pictures})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.browser.set_page_load_timeout(PATIENCE)
        self.pictures = pictures

    def one(self, selector):
        return self.browser.find_element("css selector", selector)

    def press(self, key):
        self.browser.execute_script("document.activeElement.blur()")
        ActionChains(self.browser).send_keys(key).perform()

    def go(self, path):
        self.one(f"nav a[href='{path}']").click()

    def type(self, selector, text):
        self.one(selector).clear()
        self.one(selector).send_keys(text)

    def photograph(self, name):
        """A screenshot of the whole page, in either theme."""
        height = self.browser.execute_script("return document.documentElement.scrollHeight")
        self.browser.set_window_size(1280, max(900, height + 150))
        for theme in ["light", "dark"]:
            self.browser.execute_cdp_cmd(
                "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]}
            )
            # What is drawn in the theme's colours is drawn anew with the next frame.
            time.sleep(3)
            self.browser.save_screenshot(f"{self.pictures}/{name}-{theme}.png")
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        self.browser.set_window_size(1280, 900)

    def look(self):
        self.go("/live")
        pictures = "return [...document.querySelectorAll('[data-node] canvas')].map((one) => one.toDataURL())"
        # The first pictures, and then others.
        for _ in range(2):
            seen = wait("four tiles", lambda: len(self.browser.execute_script(pictures)) == 4 and
                        self.browser.execute_script(pictures))
            wait("each of them to move", lambda: all(
                one != other for one, other in zip(seen, self.browser.execute_script(pictures))))
        self.photograph("live")

    def aim(self):
        self.one("a[data-node=cam-0]").click()
        wait("the camera, large", lambda: "640x360" in self.one("#frame").text)
        wait("what it takes", lambda: self.one("#gain").is_displayed())
        # vivid writes its gain into the picture, in its fourth line of 16 pixels; no other line changes with it.
        line = """
            const canvas = document.getElementById("picture");
            const [width, height] = [canvas.width / 640, canvas.height / 360];
            const data = canvas.getContext("2d").getImageData(0, 65 * height, 400 * width, 13 * height).data;
            return data.reduce((sum, one) => (sum * 31 + (one >> 6)) >>> 0, 0);
        """
        def rests():
            before = self.browser.execute_script(line)
            time.sleep(3)
            return self.browser.execute_script(line) == before

        wait("the line to rest", rests)
        seen = self.browser.execute_script(line)
        self.type("#gain", "200")
        self.one("button[value=set]").click()
        wait("it to be set", lambda: self.one("#verdict").text == "Set on cam-0.")
        assert self.one("#gain").get_attribute("value") == "200"
        wait("the picture", lambda: "640x360" in self.one("#frame").text)
        wait("the line to rest again", rests)
        assert self.browser.execute_script(line) != seen, "the picture follows"
        self.photograph("camera")

    def refuse(self):
        self.go("/fire")
        self.type("#plan", "bracket: {autoExposure: [-1, 0, 1]}")
        objections = lambda: [one.text for one in self.browser.find_elements("css selector", "#cameras .objection")]
        wait("each node's reason", lambda: sum("no manual exposure control" in one for one in objections()) == 4)
        assert not self.one("#fire").is_enabled()
        said = lambda: [one.text for one in self.browser.find_elements("css selector", "#cameras .said")]
        wait("what each sees", lambda: not any("not connected" in one for one in said()))
        self.photograph("refused")

    def fire(self, plan, count, session):
        self.go("/fire")
        self.type("#plan", plan)
        wait("the plan to be good", lambda: self.one("#fire").is_enabled() and f"{count} photos of 4 nodes" in
             self.one("#verdict").text)
        self.type("[name=session]", session)
        self.press(" ")
        wait("the capture", lambda: "/captures/" in self.browser.current_url)
        wait("the sheet to fill", lambda: f"complete: {count} of {count}" in self.one("main p.state").text)

    def ask(self):
        assert "gain 120" in self.one("#exposures").text, self.one("#exposures").text
        self.press("4")
        wait("the rating", lambda: self.one("#rating button[aria-pressed=true]").text == "4")
        self.browser.execute_script("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        plots = self.browser.find_elements("css selector", "main svg")
        assert len(plots) >= 2, "plots of the spread and of events"
        wait("thumbnails", lambda: self.browser.execute_script(
            "return [...document.images].every((one) => one.complete && one.naturalWidth > 0)"))
        self.photograph("capture")
        self.go("/")
        self.type("input[name=session]", "vivid\n")
        wait("those of the session", lambda: len(self.browser.find_elements("css selector", "tbody tr")) == 1)
        self.photograph("captures")
        self.one("form[action='/export.zip'] button").click()
        wait("its photos for COLMAP", lambda: os.path.exists(f"{self.pictures}/captures-colmap.zip"))

    def lose(self, share):
        self.go("/")
        wait("no word of it", lambda: not self.one("#line").is_displayed())
        open(f"{share}/stop", "w").close()
        wait("that the coordinator is away", lambda: "away" in self.one("#line").text)
        open(f"{share}/start", "w").close()
        wait("that it is back", lambda: not self.one("#line").is_displayed())
        self.fire("bracket: {burst: 2}", 8, "after")
        self.go("/nodes")
        wait("the nodes", lambda: len(self.browser.find_elements("css selector", "tbody tr")) == 4)
        self.photograph("nodes")
        self.go("/alarms")
        wait("the alarms", lambda: self.one("h1").text == "Alarms")
        self.photograph("alarms")


def main(link, share, pictures):
    cockpit = Cockpit(pictures)
    try:
        cockpit.browser.get(link)
        wait("the nodes to be ready", lambda: cockpit.browser.get(link.split("/enter")[0] + "/nodes") or
             cockpit.browser.page_source.count(">ready<") == 4)
        cockpit.look()
        cockpit.aim()
        cockpit.refuse()
        cockpit.fire("bracket: {manualExposure: [{gain: 10}, {gain: 120}, {gain: 255}]}\nlead: 2s", 12, "vivid")
        cockpit.ask()
        cockpit.lose(share)
        words = cockpit.browser.get_log("browser")
        assert words == [], words
    except BaseException:
        cockpit.browser.save_screenshot(f"{pictures}/failed.png")
        raise
    finally:
        cockpit.browser.quit()


if __name__ == "__main__":
    main(*sys.argv[1:])
