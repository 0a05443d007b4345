// Rates with the keyboard, and fills the page while the capture is under way.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.closest("input, textarea, select")) return;
  if (/^[0-5]$/.test(event.key)) document.querySelector(`#rating button[value="${event.key}"]`).click();
  if (event.key === "x") document.querySelector("#rejection button").click();
});

const id = document.getElementById("outcome").dataset.id;
let isLoading = false;
let isWanted = false;

document.getElementById("refusal")?.focus();

// How an element is found again in the page's next version.
function selector(element) {
  const name = ["href", "aria-label"].find((name) => element.hasAttribute(name));
  if (name) return `[${name}="${CSS.escape(element.getAttribute(name))}"]`;
  const action = element.closest("form")?.getAttribute("action");
  return element.matches("button") && action ? `form[action="${CSS.escape(action)}"] button` : undefined;
}

// What somebody is typing into stays as it is; what the keyboard is on, it is on afterwards.
function replace(page) {
  const focused = selector(document.activeElement);
  for (const part of ["outcome", "facts", "underway", "taking", "photos", "exposures", "spread", "events"]) {
    const [old, now] = [document.getElementById(part), page.getElementById(part)];
    if (old.isEqualNode(now)) continue;
    if (document.activeElement.matches("input, select") && old.contains(document.activeElement)) continue;
    // Somebody is about to press what was folded away.
    if (part === "underway" && old.querySelector("details[open]") && now.querySelector("details")) continue;
    old.replaceWith(now);
    if (focused && document.activeElement === document.body) document.querySelector(focused)?.focus({ preventScroll: true });
  }
}

async function load() {
  isWanted = true;
  if (isLoading) return;
  isLoading = true;
  try {
    while (isWanted) {
      isWanted = false;
      const answer = await fetch(`/captures/${id}`);
      if (!answer.ok) break;
      replace(new DOMParser().parseFromString(await answer.text(), "text/html"));
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  } catch {
    // The page says that the console is away, and the next news comes here again.
  } finally {
    isLoading = false;
  }
}

document.addEventListener("volley:capture", (event) => {
  if (event.detail.uniqueID === Number(id)) load();
});
