// All cameras: pictures of those that are on the screen.
import { previews, shown } from "/assets/previews.js";

const tiles = new Map([...document.querySelectorAll("[data-node]")].map((tile) => [tile.dataset.node, tile]));
const visible = new Set();
const watcher = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) visible.add(target.dataset.node); else visible.delete(target.dataset.node);
  }
});
for (const tile of tiles.values()) watcher.observe(tile);

function say(tile, words, isLost) {
  tile.querySelector(".said").textContent = words;
  tile.classList.toggle("old", isLost);
}

function draw(picture, image) {
  const tile = tiles.get(picture.node);
  const canvas = tile.querySelector("canvas");
  const scale = Math.min(canvas.width / image.width, canvas.height / image.height);
  const [width, height] = [image.width * scale, image.height * scale];
  const pen = canvas.getContext("2d");
  pen.clearRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(image, (canvas.width - width) / 2, (canvas.height - height) / 2, width, height);
  // Automatic brackets begin from it, too.
  const isByHand = picture.exposureMode === "custom";
  say(tile, [picture.exposure, isByHand && "set by hand"].filter(Boolean).join(", "), false);
}

for await (const { pictures, problems, trouble } of previews("tile", () => [...visible])) {
  if (trouble) for (const tile of tiles.values()) say(tile, trouble, true);
  for (const [node, words] of Object.entries(problems)) say(tiles.get(node), words, true);
  for (const { node, words } of await shown(pictures, draw)) say(tiles.get(node), words, true);
}
