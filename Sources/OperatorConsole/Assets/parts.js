// Keeps parts of a page as they are now.

// How an element is found again in the page's next version.
function selector(element) {
  const name = ["href", "aria-label"].find((name) => element.hasAttribute(name));
  if (name) return `[${name}="${CSS.escape(element.getAttribute(name))}"]`;
  const action = element.closest("form")?.getAttribute("action");
  return element.matches("button") && action ? `form[action="${CSS.escape(action)}"] button` : undefined;
}

// What somebody is typing into stays as it is; what the keyboard is on, it is on afterwards.
function replace(page, parts, still) {
  const focused = selector(document.activeElement);
  const isHeld = still.map((part) => document.getElementById(part))
    .some((part) => part.matches(":hover") || part.contains(document.activeElement));
  for (const part of parts) {
    const [old, now] = [document.getElementById(part), page.getElementById(part)];
    // Nobody arrives at what comes later.
    for (const one of [old, now].flatMap((part) => [...part.querySelectorAll("[autofocus]")])) one.removeAttribute("autofocus");
    if (old.isEqualNode(now)) continue;
    if (document.activeElement.matches("input, select") && old.contains(document.activeElement)) continue;
    if (still.includes(part) && (isHeld || old.querySelector("details[open]"))) continue;
    old.replaceWith(now);
    if (focused && document.activeElement === document.body) document.querySelector(focused)?.focus({ preventScroll: true });
  }
}

// Answers what fetches a page and takes these parts of it, at most once in an interval.
// still: those with something to press, which share a parent. They stay while the pointer or the keyboard is on one of
// them, or while something in them is folded open: nothing else is to be there when it is pressed.
export function refresher(address, parts, still, interval) {
  let isLoading = false;
  let isWanted = false;
  const load = async () => {
    isWanted = true;
    if (isLoading) return;
    isLoading = true;
    try {
      while (isWanted) {
        isWanted = false;
        const answer = await fetch(address);
        if (!answer.ok) break;
        replace(new DOMParser().parseFromString(await answer.text(), "text/html"), parts, still);
        await new Promise((resolve) => setTimeout(resolve, interval));
      }
    } catch {
      // The page says that the console is away, and the next news comes here again.
    } finally {
      isLoading = false;
    }
  };
  const place = document.getElementById(still[0]).parentElement;
  for (const event of ["pointerleave", "focusout"]) place.addEventListener(event, load);
  addEventListener("pageshow", (event) => { if (event.persisted) load(); });
  return load;
}
