// Checks the plan as it is typed: the shutter can be pressed once all that matter agree, or where the rig is armed.
const plan = document.getElementById("plan");
const fire = document.getElementById("fire");
const verdict = document.getElementById("verdict");
const details = document.getElementById("details");
let asked = 0;
let timer;

function show(words, lines, isRefused) {
  verdict.textContent = words;
  verdict.className = isRefused ? "failed" : "complete";
  details.replaceChildren(...lines.map((line) => {
    const item = document.createElement("li");
    item.textContent = line;
    return item;
  }));
  fire.disabled = isRefused;
}

async function check() {
  const number = ++asked;
  try {
    const answer = await fetch("/api/v1/check", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ plan: plan.value }),
    });
    const told = await answer.json();
    if (number !== asked) return;
    if (!answer.ok) return show(told.detail, told.details ?? [], true);
    if (!told.canFire) return show(told.reason, told.objections, true);
    const photos = `${told.expectedPhotoCount} photo${told.expectedPhotoCount === 1 ? "" : "s"}`;
    show(`It can be fired: ${photos} of ${told.nodes.length} node${told.nodes.length === 1 ? "" : "s"}.`, told.objections, false);
  } catch {
    if (number === asked) show("The console does not answer.", [], true);
  }
}

if (plan) {
  plan.addEventListener("input", () => {
    fire.disabled = true;
    clearTimeout(timer);
    timer = setTimeout(check, 300);
  });
  fire.disabled = true;
  check();
}
// The shutter falls once, however often it is pressed. A button that is disabled at once would not be sent.
fire.form.addEventListener("submit", (event) => {
  if (event.submitter !== fire) return;
  asked++;
  setTimeout(() => { fire.disabled = true; });
});
addEventListener("pageshow", (event) => { if (event.persisted && plan) check(); });
document.addEventListener("keydown", (event) => {
  if (event.key !== " " || event.repeat || fire.disabled) return;
  if (event.target.closest("input, textarea, select, button, a, summary")) return;
  event.preventDefault();
  fire.click();
});
