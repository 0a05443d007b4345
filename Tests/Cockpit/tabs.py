"""Keeps twenty tabs of a working rig's console open in one Chromium, and holds each in the end against a fresh one.

tabs.py LINK MINUTES QUIET: the console's link, for how long, and a file to write once the rig is to do nothing more. A
tab that is looked at again has half a minute to show what a page that is loaded then shows, to the last digit but for
what is measured anew each time, or to say that it is out of date. Ends with an error where one does neither.
"""

import pathlib
import re
import sys
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

link, minutes, quiet = sys.argv[1], float(sys.argv[2]), pathlib.Path(sys.argv[3])
place = link[: link.index("/enter")]
options = webdriver.ChromeOptions()
for word in ["--headless=new", "--no-sandbox", "--window-size=1280,900"]:
    options.add_argument(word)
options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
browser.set_page_load_timeout(60)


# Ages, clocks' errors, and room on disks, each with its unit, and how sharp a picture is; counts, names and times of
# day are none of them.
UNITS = r"(ns|µs|ms|s|min|h|d|°C|[KMG]i?B)\b"
MEASURED = re.compile(rf"\d+(\.\d+)?(?= {UNITS}|, best so far)|(?<=best so far )\d+(\.\d+)?")


def text():
    words = browser.execute_script("return document.querySelector('main').innerText")
    return [MEASURED.sub("0", line).strip() for line in words.splitlines() if line.strip()]


def is_told():
    """Whether the page says itself that it is not the newest."""
    return browser.execute_script(
        "return [...document.querySelectorAll('[role=status], [role=alert], .stale, .banner')]"
        ".some((one) => one.checkVisibility() && /changed since|does not answer|out of date/.test(one.innerText))")


def open_tab(path):
    browser.switch_to.new_window("tab")
    began = time.time()
    browser.get(place + path)
    browser.execute_script("return document.querySelector('main').innerText")
    return browser.current_window_handle, time.time() - began


browser.get(link)
browser.get(place + "/")
captures = browser.execute_script(
    "return [...document.querySelectorAll('a[href^=\"/captures/\"]')].map((one) => one.pathname)")
capture = captures[0]
browser.get(place + capture)
photo = browser.execute_script("return document.querySelector('a[href$=\"/view\"]').pathname")
node = photo.split("/")[4]
paths = ["/", "/live", "/fire", "/nodes", "/alarms", f"/live/{node}", capture, photo]
paths = (paths * 3)[:20]
tabs = []
for path in paths:
    handle, took = open_tab(path)
    assert took < 20, f"tab {len(tabs) + 1}, {path}: {took:.1f} s"
    tabs.append((handle, path))
print(f"{len(tabs)} tabs are open", flush=True)

end, turn = time.time() + 60 * minutes, 0
while time.time() < end:
    # As somebody does who goes through them.
    browser.switch_to.window(tabs[turn % len(tabs)][0])
    turn += 1
    time.sleep(15)

quiet.touch()
# What is under way comes to its end.
time.sleep(20)
wrong = []
for handle, path in tabs:
    browser.switch_to.window(handle)
    patience, why = time.time() + 30, ""
    while True:
        shown, told = text(), is_told()
        fresh, _ = open_tab(path)
        time.sleep(1)
        now = text()
        browser.close()
        browser.switch_to.window(handle)
        if told or shown == now or text() == now:
            break
        if time.time() > patience:
            why = [line for line in shown if line not in now][:5], [line for line in now if line not in shown][:5]
            wrong.append(f"{path}: shows {why[0]}, and should show {why[1]}")
            break
        time.sleep(2)
    print(f"{path}: {'says that it is out of date' if told else wrong[-1] if why else 'right'}", flush=True)
errors = [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
browser.quit()
assert not wrong, "\n".join(wrong)
assert not errors, "\n".join(errors)
