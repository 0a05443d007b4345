// Zooms and moves the pictures of the page, two of them together.
const panes = [...document.querySelectorAll(".pane")];
const zoom = document.getElementById("zoom");
const zooms = [...zoom.options].map((option) => option.value);
const middle = { x: 0.5, y: 0.5 };

// How much larger than the pane a picture is.
function scale(pane) {
  if (zoom.value !== "pixels") return Number(zoom.value);
  const image = pane.querySelector("img");
  const fit = Math.min(pane.clientWidth / image.naturalWidth, pane.clientHeight / image.naturalHeight);
  return Math.max(1, 1 / (fit * devicePixelRatio)) || 1;
}

function show() {
  const least = 0.5 / Math.max(...panes.map(scale));
  for (const axis of ["x", "y"]) middle[axis] = Math.min(Math.max(middle[axis], least), 1 - least);
  for (const pane of panes) {
    const shift = (share) => `${100 * (0.5 - share)}%`;
    pane.querySelector("img").style.transform = `scale(${scale(pane)}) translate(${shift(middle.x)}, ${shift(middle.y)})`;
  }
}

// Moves by shares of what is shown.
function move(pane, x, y) {
  middle.x += x / scale(pane);
  middle.y += y / scale(pane);
  show();
}

function step(by) {
  zoom.value = zooms[Math.min(Math.max(zooms.indexOf(zoom.value) + by, 0), zooms.length - 1)];
  show();
}

for (const pane of panes) {
  let from = null;
  let isDragged = false;
  pane.addEventListener("pointerdown", (event) => {
    from = { x: event.clientX, y: event.clientY };
    isDragged = false;
    pane.setPointerCapture(event.pointerId);
  });
  pane.addEventListener("pointermove", (event) => {
    if (!from) return;
    const [x, y] = [from.x - event.clientX, from.y - event.clientY];
    if (!isDragged && Math.hypot(x, y) < 4) return;
    isDragged = true;
    from = { x: event.clientX, y: event.clientY };
    move(pane, x / pane.clientWidth, y / pane.clientHeight);
  });
  pane.addEventListener("pointercancel", () => { from = null; });
  pane.addEventListener("pointerup", (event) => {
    from = null;
    if (isDragged) return;
    const box = pane.getBoundingClientRect();
    const [x, y] = [(event.clientX - box.left) / box.width - 0.5, (event.clientY - box.top) / box.height - 0.5];
    middle.x += x / scale(pane);
    middle.y += y / scale(pane);
    if (zoom.value === "1") zoom.value = "4";
    show();
  });
  pane.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [-0.25, 0], ArrowRight: [0.25, 0], ArrowUp: [0, -0.25], ArrowDown: [0, 0.25] }[event.key];
    if (way && zoom.value !== "1") move(pane, ...way);
    else if (event.key === "+") step(1);
    else if (event.key === "-") step(-1);
    else return;
    event.preventDefault();
  });
  pane.querySelector("img").addEventListener("load", show);
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.closest("input, textarea, select")) return;
  if (/^[0-5]$/.test(event.key)) document.querySelector(`.rating button[value="${event.key}"]`).click();
  if (event.key === "x") document.querySelector(".rating button[name=rejected]").click();
});
zoom.addEventListener("change", show);
addEventListener("resize", show);
show();
