// One stream of news for all tabs of a browser, as a shared worker: a browser opens six connections to a host, and each
// tab with one of its own would leave none for the seventh. A tab says after which number it wants news; the worker begins
// anew where that is further back than its stream, and each tab passes over what it has had.
const ports = new Map();
let events = null;
let start = null;
let state = {};
let heard = 0;

function tell(message) {
  for (const port of ports.keys()) port.postMessage(message);
}

function listen(after) {
  events?.close();
  start = after;
  state = {};
  events = new EventSource("/api/v1/events" + (after === null ? "" : `?after=${after}`));
  const relay = (event) => {
    heard = Date.now();
    const message = { type: event.type, data: event.data, id: Number(event.lastEventId) || 0 };
    // Whoever comes later has to know how things stand.
    if (event.type === "coordinator" || event.type === "alarms") state[event.type] = message;
    tell(message);
  };
  for (const type of ["coordinator", "alarms", "captureNotice", "nodeNotice", "eventNotice"]) {
    events.addEventListener(type, relay);
  }
  events.addEventListener("beat", () => { heard = Date.now(); tell({ type: "beat" }); });
  events.addEventListener("error", () => tell({ type: "error", isRefused: events.readyState === EventSource.CLOSED }));
}

onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data }) => {
    if (data.bye) return ports.delete(port);
    ports.set(port, true);
    const isOver = !events || events.readyState === EventSource.CLOSED;
    if (isOver || (data.after !== null && (start === null || data.after < start))) listen(data.after);
    else for (const message of Object.values(state)) port.postMessage(message);
    if (Date.now() - heard < 5000) port.postMessage({ type: "beat" });
  };
};
