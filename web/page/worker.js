// The engine's thread: loads the build of the engine that the browser supports, and answers requests one after another.
// The first message contains both builds, as gzip in base64; the others are `{ id, request }`.

// A module with one function, `i32.const 0; i8x16.splat; i8x16.popcnt`: valid only if the browser supports SIMD.
const SIMD_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);

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

async function load({ simd, plain }) {
  const module = await unpacked(WebAssembly.validate(SIMD_PROBE) ? simd : plain);
  engine = (await WebAssembly.instantiate(module, { host })).instance.exports;
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
  if (data.simd === undefined) {
    postMessage({ id: data.id, answer: answered(data.request) });
    return;
  }
  try {
    await load(data);
    postMessage({ ready: true });
  } catch (error) {
    postMessage({ problem: String(error) });
  }
});
