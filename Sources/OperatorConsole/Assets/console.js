// Keeps a page in touch with the rig: says when the coordinator is away, and that there is more to see. Nothing on the
// page moves by itself.
const line = document.getElementById("line");
const more = document.getElementById("more");
const alarms = document.getElementById("alarms");

function say(words) {
  line.textContent = words;
  line.hidden = words === "";
}

// When the page was last in touch, and the number of the last news that it had.
let touched = Date.now();
let last = Number(document.body.dataset.news) || 0;
let isTold = false;

// The browser's own stream of news, through a worker that all its tabs share; one for this tab where there are no workers.
function stream(take) {
  const after = document.body.dataset.news ?? null;
  if (window.SharedWorker) {
    const worker = new SharedWorker("/assets/news.js");
    worker.port.onmessage = ({ data }) => take(data);
    worker.port.postMessage({ after: after === null ? null : Number(after) });
    addEventListener("pagehide", () => worker.port.postMessage({ bye: true }));
    addEventListener("pageshow", (event) => { if (event.persisted) worker.port.postMessage({ after: last }); });
    return;
  }
  const events = new EventSource("/api/v1/events?beat=1" + (after ? `&after=${after}` : ""));
  for (const type of ["coordinator", "alarms", "captureNotice", "nodeNotice", "beat"]) {
    const isNumbered = type.endsWith("Notice");
    events.addEventListener(type, (event) =>
      take({ type, data: event.data, id: isNumbered ? Number(event.lastEventId) : 0 }));
  }
  events.addEventListener("error", () =>
    take({ type: "error", isRefused: events.readyState === EventSource.CLOSED }));
}

function follow() {
  const [isOfCaptures, isOfNodes, isOfAlarms] = ["/", "/nodes", "/alarms"].map((path) => location.pathname === path);
  const tellOfRig = () => document.dispatchEvent(new CustomEvent("volley:rig"));
  const takers = {
    beat() {},
    coordinator({ data }) {
      const { isAway } = JSON.parse(data);
      const isBack = !isAway && !line.hidden;
      say(isAway ? "The coordinator is away; what is shown is from before." : "");
      // Pictures that it did not answer for.
      if (isBack) for (const one of document.images) if (one.complete && one.naturalWidth === 0) one.src = one.src;
      tellOfRig();
    },
    alarms({ data }) {
      const { unseenCount, newest } = JSON.parse(data);
      // Their place is kept: nothing moves.
      alarms.textContent = unseenCount === 0 ? "" : ` (${unseenCount > 99 ? "99+" : unseenCount})`;
      if (isOfAlarms && newest > Number(document.getElementById("shown").dataset.newest)) more.hidden = false;
    },
    // A browser comes back by itself where nobody answers, and not where it was refused.
    error({ isRefused }) {
      say(isRefused ? "You are not logged in any more; open a new link." : "The console is away; the page waits for it.");
    },
    captureNotice({ data }) {
      // Others have their own way with it.
      if (isOfCaptures) more.hidden = false;
      document.dispatchEvent(new CustomEvent("volley:capture", { detail: JSON.parse(data) }));
    },
    nodeNotice() {
      if (isOfNodes) more.hidden = false;
      tellOfRig();
    },
  };
  stream((message) => {
    // What the stream brings to other tabs may be known here.
    if (message.id) {
      if (message.id <= last) return;
      last = message.id;
    }
    if (message.type !== "error") {
      touched = Date.now();
      if (isTold) { isTold = false; say(""); }
    }
    takers[message.type]?.(message);
  });
  setInterval(tellStale, 2000);
  document.addEventListener("visibilitychange", tellStale);
}

// A page that has heard nothing says so, rather than show what was as if it were.
function tellStale() {
  if (Date.now() - touched < 10000 || !line.hidden) return;
  isTold = true;
  say(`This page shows what was known at ${new Date(touched).toLocaleTimeString()}; it waits for news.`);
}

// What is sent is sent once, however often it is pressed; the shutter of a form that is checked has its own way. A button
// that is disabled at once would not be sent.
const sent = new Set();
function free() {
  for (const button of sent) button.disabled = false;
  sent.clear();
}
document.addEventListener("submit", ({ submitter, target }) => {
  if (target.method !== "post" || !submitter || submitter.id === "fire") return;
  sent.add(submitter);
  setTimeout(() => { if (sent.has(submitter)) submitter.disabled = true; });
  // By then the browser would have left, had nobody stopped it.
  setTimeout(free, 15000);
});
addEventListener("pageshow", (event) => { if (event.persisted) free(); });

// What cannot be taken back asks once.
document.addEventListener("click", (event) => {
  const question = event.target.closest("button[data-ask]")?.dataset.ask;
  if (question && !confirm(question)) event.preventDefault();
});

// By then the page's other modules listen.
if (line) document.addEventListener("DOMContentLoaded", follow);
