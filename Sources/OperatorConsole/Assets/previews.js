// Pulls what cameras see. The next request goes out when the last pictures are drawn: a slow browser gets fewer pictures,
// and never older ones.

// Longer than a coordinator waits; a connection that is silent for longer is none.
const patience = 8000;

// The answer's document, and its pictures in the same order (multipart/mixed, RFC 2046).
async function read(answer) {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const parts = [];
  for (let place = 0; ;) {
    let end = place;
    while (end < bytes.length && !(bytes[end] === 13 && bytes[end + 1] === 10 && bytes[end + 2] === 13)) end++;
    const length = new TextDecoder().decode(bytes.subarray(place, end)).match(/Content-Length: (\d+)/)?.[1];
    if (length === undefined) break;
    parts.push(bytes.subarray(end + 4, end + 4 + Number(length)));
    place = end + 4 + Number(length) + 2;
  }
  const reply = JSON.parse(new TextDecoder().decode(parts[0]));
  return { ...reply, pictures: reply.pictures.map((picture, index) => ({ ...picture, bytes: parts[index + 1] })) };
}

function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function visible() {
  if (!document.hidden) return;
  return new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
}

// What the nodes see that wanted() names, again and again; where nobody answers, trouble says why.
export async function* previews(size, wanted) {
  const seen = new Map();
  while (true) {
    await visible();
    const nodes = wanted();
    if (nodes.length === 0) {
      await pause(300);
      continue;
    }
    const query = new URLSearchParams({ size });
    for (const node of nodes) query.append("seen", `${node}:${seen.get(node) ?? 0}`);
    try {
      const answer = await fetch(`/api/v1/previews?${query}`, { signal: AbortSignal.timeout(patience) });
      if (!answer.ok) throw new Error((await answer.json()).detail);
      const reply = await read(answer);
      for (const picture of reply.pictures) seen.set(picture.node, picture.number);
      yield reply;
    } catch (error) {
      const isSilent = error instanceof TypeError || error.name === "TimeoutError";
      yield { pictures: [], problems: {}, trouble: isSilent ? "The console does not answer." : error.message };
      await pause(1000);
    }
  }
}

// Draws pictures; those that cannot be drawn, which keep none of the others, are told of.
export async function shown(pictures, draw) {
  const outcomes = await Promise.all(pictures.map(async (picture) => {
    let image;
    try {
      image = await createImageBitmap(new Blob([picture.bytes], { type: "image/jpeg" }));
      draw(picture, image);
    } catch {
      return { node: picture.node, words: "Its picture cannot be read." };
    } finally {
      image?.close();
    }
  }));
  return outcomes.filter(Boolean);
}
