// One camera, large, with what helps to aim, focus and expose it.
import { previews, shown } from "/assets/previews.js";

const aids = document.getElementById("aids");
const canvas = document.getElementById("picture");
const said = document.getElementById("said");
const histogram = document.getElementById("histogram").getContext("2d");
const centre = { x: 0.5, y: 0.5 };
// The part of the last picture that is on the canvas, in shares of the picture.
let part = { x: 0, y: 0, width: 1, height: 1 };
let sharpest = 0;

function brightness(pixels, index) {
  return 0.299 * pixels[index] + 0.587 * pixels[index + 1] + 0.114 * pixels[index + 2];
}

// Counts of 256 levels; the shares of clipped pixels; and how much neighbours differ, which is most in focus.
function measure(pixels, width, height) {
  const luma = new Float32Array(width * height);
  const counts = new Uint32Array(256);
  for (let index = 0; index < luma.length; index++) {
    luma[index] = brightness(pixels, 4 * index);
    counts[Math.round(luma[index])]++;
  }
  let [sum, mean] = [0, 0];
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const index = y * width + x;
      const bend = 4 * luma[index] - luma[index - 1] - luma[index + 1] - luma[index - width] - luma[index + width];
      sum += bend * bend;
      mean += luma[index];
    }
  }
  return { luma, counts, sharpness: mean > 0 ? 1000 * Math.sqrt(sum / luma.length) / (mean / luma.length) : 0 };
}

function mark(image, luma, width) {
  const { clipped, peaking } = aids.elements;
  if (!clipped.checked && !peaking.checked) return;
  const pixels = image.data;
  for (let index = width; index < luma.length - width; index++) {
    const edge = Math.abs(luma[index + 1] - luma[index - 1]) + Math.abs(luma[index + width] - luma[index - width]);
    const colour = clipped.checked && luma[index] >= 250 ? [255, 0, 200]
      : clipped.checked && luma[index] <= 4 ? [0, 90, 255]
      : peaking.checked && edge > 60 ? [255, 40, 40] : null;
    if (colour) pixels.set(colour, 4 * index);
  }
}

function drawGrid(pen) {
  pen.strokeStyle = "rgb(255 255 255 / 70%)";
  pen.lineWidth = Math.max(1, canvas.width / 640);
  pen.beginPath();
  for (const share of [1 / 3, 2 / 3]) {
    pen.moveTo(share * canvas.width, 0);
    pen.lineTo(share * canvas.width, canvas.height);
    pen.moveTo(0, share * canvas.height);
    pen.lineTo(canvas.width, share * canvas.height);
  }
  pen.stroke();
}

function drawHistogram(counts) {
  const { width, height } = histogram.canvas;
  // Square roots, or a bright wall leaves nothing to see of the rest.
  const most = Math.sqrt(Math.max(...counts));
  histogram.clearRect(0, 0, width, height);
  histogram.fillStyle = getComputedStyle(document.body).color;
  counts.forEach((count, level) => {
    const length = height * Math.sqrt(count) / most;
    histogram.fillRect(level, height - length, 1, length);
  });
}

function place(zoom) {
  const size = 1 / zoom;
  const begin = (middle) => Math.min(Math.max(middle - size / 2, 0), 1 - size);
  part = { x: begin(centre.x), y: begin(centre.y), width: size, height: size };
}

function draw(picture, image) {
  if (canvas.width !== image.width || canvas.height !== image.height) {
    [canvas.width, canvas.height] = [image.width, image.height];
  }
  place(Number(aids.elements.zoom.value));
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  pen.drawImage(image, 0, 0);
  const whole = pen.getImageData(0, 0, image.width, image.height);
  const { luma, counts, sharpness } = measure(whole.data, image.width, image.height);
  mark(whole, luma, image.width);
  pen.putImageData(whole, 0, 0);
  if (part.width < 1) {
    pen.drawImage(
      canvas, part.x * canvas.width, part.y * canvas.height, part.width * canvas.width, part.height * canvas.height,
      0, 0, canvas.width, canvas.height);
  }
  if (aids.elements.grid.checked) drawGrid(pen);
  drawHistogram(counts);
  tell(picture, counts, sharpness, luma.length);
}

function tell(picture, counts, sharpness, count) {
  sharpest = Math.max(sharpest, sharpness);
  const share = (levels) => `${(100 * levels.reduce((sum, one) => sum + one, 0) / count).toFixed(1)} %`;
  document.getElementById("exposure").textContent = picture.exposure ?? "not known";
  document.getElementById("sharpness").textContent = `${sharpness.toFixed(1)}, best so far ${sharpest.toFixed(1)}`;
  document.getElementById("shares").textContent = `${share(counts.slice(0, 5))} dark, ${share(counts.slice(250))} bright`;
  document.getElementById("frame").textContent = picture.width ? `${picture.width}x${picture.height}` : "";
}

aids.addEventListener("submit", (event) => event.preventDefault());
canvas.addEventListener("click", (event) => {
  const box = canvas.getBoundingClientRect();
  centre.x = part.x + part.width * (event.clientX - box.left) / box.width;
  centre.y = part.y + part.height * (event.clientY - box.top) / box.height;
});
canvas.addEventListener("keydown", (event) => {
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (!way || part.width === 1) return;
  event.preventDefault();
  // From what is shown, and not from a place beyond the edge.
  centre.x = part.x + part.width / 2 + way[0] * part.width / 4;
  centre.y = part.y + part.height / 2 + way[1] * part.height / 4;
});

const node = aids.dataset.node;
for await (const { pictures, problems, trouble } of previews("large", () => [node])) {
  const broken = (await shown(pictures, draw)).map(({ words }) => words)[0];
  const words = trouble ?? problems[node] ?? broken ?? "";
  // What is wrong stays until there is a picture again.
  if ((words || pictures.length > 0) && said.textContent !== words) said.textContent = words;
}
