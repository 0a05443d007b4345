// Rates with the keyboard.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.closest("input, textarea, select")) return;
  if (/^[0-5]$/.test(event.key)) document.querySelector(`#rating button[value="${event.key}"]`).click();
  if (event.key === "x") document.querySelector("#rejection button").click();
});
