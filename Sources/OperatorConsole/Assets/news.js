// One stream of news for all tabs of a browser, as a shared worker: a browser opens six connections to a host, and each
// tab with one of its own would leave none for the seventh. A tab says after which number it wants news; the worker begins
// anew where that is further back than its stream, and each tab passes over what it has had.
const ports = new Map();
let events = null;
let start = null;
let state = {};
let heard = 0;
// What came lately, for a tab that was loading meanwhile.
let recent = [];
const mostRecent = 2000;

function tell(message) {
  for (const port of ports.keys()) port.postMessage(message);
}

function listen(after) {
  events?.close();
  start = after;
  state = {};
  recent = [];
  events = new EventSource("/api/v1/events?beat=1" + (after === null ? "" : `&after=${after}`));
  const relay = (event) => {
    heard = Date.now();
    // What has no number of its own carries that of the last that had.
    const isNumbered = event.type.endsWith("Notice");
    const message = { type: event.type, data: event.data, id: isNumbered ? Number(event.lastEventId) : 0 };
    // Whoever comes later has to know how things stand.
    if (event.type === "coordinator" || event.type === "alarms") state[event.type] = message;
    if (message.id) {
      recent.push(message);
      // Whoever wants what went begins anew.
      if (recent.length > mostRecent) start = recent.shift().id;
    }
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
    else {
      for (const message of Object.values(state)) port.postMessage(message);
      for (const message of recent) if (data.after !== null && message.id > data.after) port.postMessage(message);
    }
    if (Date.now() - heard < 5000) port.postMessage({ type: "beat" });
  };
};
