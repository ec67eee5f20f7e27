// The engine's thread: loads the engine and answers requests one after another. The first message is `{ module }`, the
// engine as gzip in base64; the others are `{ id, request }`.

let engine;
let panic = "";

const host = {
  now: () => performance.now(),
  panicked: (at, bytes) => {
    panic = textAt(at, bytes);
  },
};

function textAt(at, bytes) {
  return new TextDecoder().decode(new Uint8Array(engine.memory.buffer, at, bytes));
}

async function unpacked(base64) {
  const packed = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** Returns the memory of the search tree, in MB. The system provides it page by page as the tree grows. */
function treeMemory() {
  const { deviceMemory = 8, userAgent } = navigator;
  return deviceMemory < 4 || /Android|iPhone|iPad|Mobile/.test(userAgent) ? 256 : 1024;
}

async function load(module) {
  engine = (await WebAssembly.instantiate(await unpacked(module), { host })).instance.exports;
  engine.use_memory(treeMemory());
}

function answer(request) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  // `reserve` can replace the memory's buffer, so the buffer is read afterwards.
  const at = engine.reserve(bytes.length);
  new Uint8Array(engine.memory.buffer, at, bytes.length).set(bytes);
  const length = engine.answer();
  return JSON.parse(textAt(engine.answer_at(), length));
}

function answered(request) {
  try {
    return answer(request);
  } catch (error) {
    return { problem: panic || String(error), broken: true };
  }
}

addEventListener("message", async ({ data }) => {
  if (data.module === undefined) {
    postMessage({ id: data.id, answer: answered(data.request) });
    return;
  }
  try {
    await load(data.module);
    postMessage({ ready: true });
  } catch (error) {
    postMessage({ problem: String(error) });
  }
});
