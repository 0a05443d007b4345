// Keeps a page in touch with the rig: says when the coordinator is away, and that there is more to see. Nothing on the
// page moves by itself.
const line = document.getElementById("line");
const more = document.getElementById("more");
const alarms = document.getElementById("alarms");

function say(words) {
  line.textContent = words;
  line.hidden = words === "";
}

function follow() {
  const news = document.body.dataset.news;
  const [isOfCaptures, isOfNodes, isOfAlarms] = ["/", "/nodes", "/alarms"].map((path) => location.pathname === path);
  const events = new EventSource("/api/v1/events" + (news ? `?after=${news}` : ""));
  const tellOfRig = () => document.dispatchEvent(new CustomEvent("volley:rig"));
  events.addEventListener("coordinator", (event) => {
    const { isAway } = JSON.parse(event.data);
    const isBack = !isAway && !line.hidden;
    say(isAway ? "The coordinator is away; what is shown is from before." : "");
    // Pictures that it did not answer for.
    if (isBack) for (const one of document.images) if (one.complete && one.naturalWidth === 0) one.src = one.src;
    tellOfRig();
  });
  events.addEventListener("alarms", (event) => {
    const { unseenCount, newest } = JSON.parse(event.data);
    // Their place is kept: nothing moves.
    alarms.textContent = unseenCount === 0 ? "" : ` (${unseenCount > 99 ? "99+" : unseenCount})`;
    if (isOfAlarms && newest > Number(document.getElementById("shown").dataset.newest)) more.hidden = false;
  });
  events.addEventListener("error", () => {
    // A browser comes back by itself where nobody answers, and not where it was refused.
    const isRefused = events.readyState === EventSource.CLOSED;
    say(isRefused ? "You are not logged in any more; open a new link." : "The console is away; the page waits for it.");
  });
  events.addEventListener("captureNotice", (event) => {
    // Others have their own way with it.
    if (isOfCaptures) more.hidden = false;
    document.dispatchEvent(new CustomEvent("volley:capture", { detail: JSON.parse(event.data) }));
  });
  events.addEventListener("nodeNotice", () => {
    if (isOfNodes) more.hidden = false;
    tellOfRig();
  });
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
