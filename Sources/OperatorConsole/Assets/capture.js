// Rates with the keyboard, and fills the sheet while photos are stored.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.closest("input, textarea, select")) return;
  if (/^[0-5]$/.test(event.key)) document.querySelector(`#rating button[value="${event.key}"]`).click();
  if (event.key === "x") document.querySelector("#rejection button").click();
});

let isLoading = false;
let isWanted = false;

async function load() {
  isWanted = true;
  if (isLoading) return;
  isLoading = true;
  while (isWanted) {
    isWanted = false;
    const answer = await fetch(location.href);
    if (!answer.ok) break;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    // What somebody is typing into stays.
    for (const part of ["#outcome", "#photos", "#exposures"]) {
      document.querySelector(part).replaceWith(page.querySelector(part));
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  isLoading = false;
}

document.addEventListener("volley:capture", (event) => {
  if (event.detail.uniqueID === Number(document.getElementById("outcome").dataset.id)) load();
});
