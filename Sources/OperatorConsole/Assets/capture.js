// Rates with the keyboard, and fills the page while the capture is under way.
import { refresher } from "/assets/parts.js";

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.closest("input, textarea, select")) return;
  if (/^[0-5]$/.test(event.key)) document.querySelector(`#rating button[value="${event.key}"]`).click();
  if (event.key === "x") document.querySelector("#rejection button").click();
});

const id = document.getElementById("outcome").dataset.id;
const parts = ["outcome", "facts", "underway", "taking", "photos", "exposures", "spread", "events"];
const load = refresher(`/captures/${id}${location.search}`, parts, ["underway"], 300);

document.getElementById("refusal")?.focus();
document.addEventListener("volley:capture", (event) => {
  if (event.detail.uniqueID === Number(id)) load();
});
