// Checks what is asked for as it is typed: the shutter can be pressed once all that matter agree.
import { refresher } from "/assets/parts.js";

const plan = document.getElementById("plan");
const fire = document.getElementById("fire");
const verdict = document.getElementById("verdict");
const details = document.getElementById("details");
const words = (text) => text.split(/[\s,]+/).filter(Boolean);
let asked = 0;
let timer;
let isSent = false;

// Each node's objection stands beside what it sees; where the plan can be fired, those that it does not choose are told
// apart.
function mark(objections, nodes) {
  for (const tile of document.querySelectorAll("[data-node]")) {
    const name = tile.dataset.node;
    tile.querySelector(".objection").textContent =
      Object.hasOwn(objections, name) ? objections[name] : nodes && !nodes.includes(name) ? "not in this plan" : "";
    tile.classList.toggle("apart", nodes !== undefined && !nodes.includes(name) && !Object.hasOwn(objections, name));
  }
}

function show(words, lines, isRefused, objections = {}, nodes) {
  mark(objections, nodes);
  // What stands there already, of what was pressed, is not said twice.
  const isSaid = document.getElementById("refusal")?.textContent.includes(words.replace("It would not be fired: ", ""));
  const said = isSaid ? "" : words;
  // The same again is not read out again.
  if (verdict.textContent !== said) verdict.textContent = said;
  verdict.className = isRefused ? "failed" : "complete";
  details.replaceChildren(...(isSaid ? [] : lines).map((line) => {
    const item = document.createElement("li");
    item.textContent = line;
    return item;
  }));
  fire.disabled = isRefused;
}

async function check() {
  if (isSent) return;
  const number = ++asked;
  try {
    const answer = await fetch("/fire/check", { method: "POST", body: new URLSearchParams(new FormData(fire.form)) });
    if (number !== asked) return;
    if (answer.status === 401) return show("You are not logged in any more; open a new link.", [], true);
    if (!answer.ok) return show("The form cannot be checked; Check says why.", [], true);
    const told = await answer.json();
    if (number !== asked) return;
    show(told.verdict, told.details, !told.canFire, told.objectionsByNode, told.nodes);
  } catch {
    if (number === asked) show("The console does not answer.", [], true);
  }
}

function checkSoon(isOfPlan) {
  document.getElementById("refusal")?.remove();
  // What is under way was asked of something else.
  asked++;
  if (isOfPlan) fire.disabled = true;
  clearTimeout(timer);
  timer = setTimeout(checkNow, 300);
}

function checkNow() {
  timer = undefined;
  check();
}

// Writes the plan that was built; what somebody types goes on from there. What was written that way, or is the page's
// example, follows what is built; what somebody typed is not lost.
let written = plan.hasAttribute("data-example") ? plan.defaultValue : undefined;
const kind = document.getElementById("kind");
const steps = document.getElementById("steps");
const kinds = {
  autoExposure: { label: "Steps in EV", first: "-2, 0, 2", text: (list) => `[${list.join(", ")}]` },
  manualExposure: { label: "Steps, TIME@ISO", first: "1/250@100, 1/60@100", text: (list) => `[${list.map(manual).join(", ")}]` },
  burst: { label: "Exposures", first: "5", text: (list) => list[0] ?? "" },
  whiteBalance: { label: "Steps in kelvin", first: "3200, 5600", text: (list) => `[${list.join(", ")}]` },
  focus: { label: "Lens positions, 0 (near) to 1", first: "0, 0.5, 1", text: (list) => `[${list.join(", ")}]` },
};

function manual(step) {
  const [duration, iso] = step.split("@");
  return `{${[duration && `duration: ${duration}`, iso && `iso: ${iso}`].filter(Boolean).join(", ")}}`;
}

function write() {
  const value = (id) => document.getElementById(id).value;
  const bracket = `  ${kind.value}: ${kinds[kind.value].text(words(steps.value))}`;
  plan.value = `name: ${kind.value}\nbracket:\n${bracket}\nformats: [${value("format")}]\npolicy: ${value("policy")}\n`;
  written = plan.value;
  document.getElementById("unwritten").hidden = true;
  checkSoon(true);
}

function choose() {
  document.getElementById("stepsLabel").textContent = kinds[kind.value].label;
  steps.value = kinds[kind.value].first;
}

document.getElementById("refusal")?.focus();
const builder = document.getElementById("builder");
choose();
builder.hidden = false;
kind.addEventListener("input", choose);
document.getElementById("write").addEventListener("click", write);
builder.addEventListener("input", () => {
  if (plan.value === written) write(); else document.getElementById("unwritten").hidden = false;
});
builder.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.target.id === "write") return;
  // It would send the form.
  event.preventDefault();
  write();
});
fire.form.addEventListener("input", (event) => {
  if (event.target.closest("#builder, [name=library]")) return;
  // What is wrong beside the plan is said once the shutter is pressed, too.
  checkSoon(event.target.matches("#plan, #nodes, [name=group]"));
});
// What a node could not do a moment ago, it may be able to do now.
document.addEventListener("volley:rig", () => { timer ??= setTimeout(checkNow, 300); });
const lists = ["pending", "series", "former"];
const load = refresher("/fire", lists, lists, 1000);
for (const event of ["volley:capture", "volley:rig"]) document.addEventListener(event, load);
fire.disabled = true;
check();
// The shutter falls once, however often it is pressed. A button that is disabled at once would not be sent.
fire.form.addEventListener("submit", (event) => {
  if (event.submitter !== fire) return;
  asked++;
  isSent = true;
  setTimeout(() => { fire.disabled = true; });
  // By then the browser would have left, had nobody stopped it; pressed again, it is the same request.
  setTimeout(free, 15000);
});

function free() {
  isSent = false;
  check();
}

addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  // Whoever comes back to the form wants another capture.
  fire.form.elements.requestID.value = [...crypto.getRandomValues(new Uint32Array(4))].join("-");
  free();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== " " || event.repeat || fire.disabled) return;
  if (event.target.closest("input, textarea, select, button, a, summary")) return;
  event.preventDefault();
  fire.click();
});
