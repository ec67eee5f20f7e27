// The engine's thread: loads the engine and answers requests one after another. The first message is `{ module }`, the
// engine as gzip in 91 letters; the others are `{ id, request }`.

/**
 * The functions that the module exports, see `src/module.rs`.
 * @type {{ memory: WebAssembly.Memory, use_memory(megabytes: number): void, reserve(bytes: number): number, answer(): number, answer_at(): number }}
 */
let engine;
let panic = "";

const host = {
  now: () => performance.now(),
  /**
   * @param {number} at
   * @param {number} bytes
   */
  panicked: (at, bytes) => {
    panic = textAt(at, bytes);
  },
};

/**
 * @param {number} at
 * @param {number} bytes
 */
function textAt(at, bytes) {
  return new TextDecoder().decode(new Uint8Array(engine.memory.buffer, at, bytes));
}

/**
 * Returns the bytes that `pack.py` has written as letters, the characters 35 to 126 but 60: 13 bits in two of them, at
 * most 6 last bits in one.
 * @param {string} letters
 */
function bytesOf(letters) {
  /** @param {number} at */
  const digit = (at) => letters.charCodeAt(at) - (letters.charCodeAt(at) > 60 ? 36 : 35);
  const isOdd = letters.length % 2 === 1;
  const bytes = new Uint8Array(((letters.length >> 1) * 13 + (isOdd ? 6 : 0)) >> 3);
  let [bits, count, length] = [0, 0, 0];
  /**
   * @param {number} value
   * @param {number} width
   */
  const add = (value, width) => {
    bits = (bits << width) | value;
    for (count += width; count >= 8; count -= 8) bytes[length++] = bits >> (count - 8);
  };
  for (let at = 0; at + 1 < letters.length; at += 2) add(digit(at) * 91 + digit(at + 1), 13);
  if (isOdd) add(digit(letters.length - 1), 6);
  return bytes;
}

/** @param {string} letters */
async function unpacked(letters) {
  const packed = bytesOf(letters);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** Returns the memory of the search tree, in MB. The system provides it page by page as the tree grows. */
function treeMemory() {
  const { deviceMemory = 8, userAgent } = /** @type {Navigator & { deviceMemory?: number }} */ (navigator);
  return deviceMemory < 4 || /Android|iPhone|iPad|Mobile/.test(userAgent) ? 256 : 1024;
}

/** @param {string} module */
async function load(module) {
  const { instance } = await WebAssembly.instantiate(await unpacked(module), { host });
  engine = /** @type {any} */ (instance.exports);
  engine.use_memory(treeMemory());
}

/** @param {unknown} request */
function answer(request) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  // `reserve` can replace the memory's buffer, so the buffer is read afterwards.
  const at = engine.reserve(bytes.length);
  new Uint8Array(engine.memory.buffer, at, bytes.length).set(bytes);
  const length = engine.answer();
  return JSON.parse(textAt(engine.answer_at(), length));
}

/** @param {unknown} request */
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
