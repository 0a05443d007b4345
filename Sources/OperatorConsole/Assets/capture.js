// Rates with the keyboard, has the space bar be the shutter, and fills the page while the capture is under way.
import { refresher } from "/assets/parts.js";

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.closest("input, textarea, select")) return;
  if (/^[0-5]$/.test(event.key)) document.querySelector(`#rating button[value="${event.key}"]`).click();
  if (event.key === "x") document.querySelector("#rejection button").click();
  if (event.key !== " " || event.target.closest("button, a, summary")) return;
  const shutter = document.querySelector("#underway .shutter:enabled");
  if (!shutter) return;
  event.preventDefault();
  shutter.click();
});

// The shutter falls once, however often it is pressed. A button that is disabled at once would not be sent.
document.addEventListener("submit", ({ submitter }) => {
  if (submitter?.matches(".shutter")) setTimeout(() => { submitter.disabled = true; });
});

const id = document.getElementById("outcome").dataset.id;
const parts = ["outcome", "facts", "underway", "taking", "photos", "exposures", "spread", "events"];
const load = refresher(`/captures/${id}`, parts, ["underway"], 300);

document.getElementById("refusal")?.focus();
document.addEventListener("volley:capture", (event) => {
  if (event.detail.uniqueID === Number(id)) load();
});
// Whoever comes back to it sees what it is by now.
addEventListener("pageshow", (event) => { if (event.persisted) load(); });
