// Keeps parts of a page as they are now.

// How an element is found again in the page's next version.
function selector(element) {
  const name = ["href", "aria-label"].find((name) => element.hasAttribute(name));
  if (name) return `[${name}="${CSS.escape(element.getAttribute(name))}"]`;
  const action = element.closest("form")?.getAttribute("action");
  return element.matches("button") && action ? `form[action="${CSS.escape(action)}"] button` : undefined;
}

// What somebody is typing into stays as it is, and so does what was folded open to be pressed, or is under the pointer;
// what the keyboard is on, it is on afterwards.
function replace(page, parts, still) {
  const focused = selector(document.activeElement);
  for (const part of parts) {
    const [old, now] = [document.getElementById(part), page.getElementById(part)];
    if (old.isEqualNode(now)) continue;
    if (document.activeElement.matches("input, select") && old.contains(document.activeElement)) continue;
    if (still.includes(part) && now.querySelector("details, form") && old.matches(":hover, :has(details[open])")) continue;
    old.replaceWith(now);
    if (focused && document.activeElement === document.body) document.querySelector(focused)?.focus({ preventScroll: true });
  }
}

// Answers what fetches a page and takes these parts of it, at most once in an interval.
// still: those with something to press, which do not move under the pointer.
export function refresher(address, parts, still, interval) {
  let isLoading = false;
  let isWanted = false;
  return async () => {
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
}
