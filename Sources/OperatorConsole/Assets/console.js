// Keeps a page in touch with the rig: says when the coordinator is away, and that there is more to see. Nothing on the
// page moves by itself.
const line = document.getElementById("line");
const more = document.getElementById("more");

function say(words) {
  line.textContent = words;
  line.hidden = words === "";
}

if (line) {
  const events = new EventSource("/api/v1/events");
  events.addEventListener("coordinator", (event) => {
    say(JSON.parse(event.data).isAway ? "The coordinator is away; what is shown is from before." : "");
  });
  events.addEventListener("error", () => say("The console is away; the page waits for it."));
  events.addEventListener("captureNotice", () => { if (more) more.hidden = false; });
}
