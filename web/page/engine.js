// The engine from the page's side: a worker, or the server of `otrera gui`, that answers one request after the other.

/** The search was stopped by whoever asked for it. */
class Stopped extends Error {}

/** What the server says of its engine; null in a page from a file. */
const server = JSON.parse(byId("server").textContent || "null");

/** The native engine of `otrera gui`. */
class ServedEngine {
  constructor() {
    this.stop = new AbortController();
    this.ready = Promise.resolve();
    // The program ends after the last tab. One tab holds the connection for all: a browser opens six to a server.
    navigator.locks.request(location.pathname, () => fetch("alive")).catch(() => {});
  }

  /** The answer to a request; fails with a sentence about what is wrong with it. */
  async ask(request) {
    const { signal } = this.stop;
    try {
      const response = await fetch("ask", { method: "POST", body: JSON.stringify(request), signal });
      const answer = response.ok ? await response.json() : { problem: await response.text() };
      if (answer.problem === undefined) return answer;
      throw new Error(problemText(answer.problem));
    } catch (error) {
      if (signal.aborted) throw new Stopped();
      throw error;
    }
  }

  /** Ends whatever is computed, whose askers get `Stopped`. */
  restart() {
    this.stop.abort();
    this.stop = new AbortController();
  }
}

class Engine {
  constructor() {
    const source = byId("worker").textContent;
    this.url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    this.builds = { simd: byId("engine-simd").textContent.trim(), plain: byId("engine-plain").textContent.trim() };
    this.start();
  }

  start() {
    this.requests = 0;
    this.waiting = new Map();
    this.worker = new Worker(this.url);
    this.ready = new Promise((resolve, reject) => {
      this.giveUp = () => reject(new Stopped());
      this.worker.onmessage = ({ data }) => {
        if (data.ready) resolve();
        else if (data.id === undefined) reject(new Error(data.problem));
        else this.settle(data);
      };
      this.worker.onerror = (event) => reject(new Error(event.message));
    });
    // Whoever asks is told.
    this.ready.catch(() => {});
    this.worker.postMessage(this.builds);
  }

  settle({ id, answer }) {
    const { resolve, reject } = this.waiting.get(id);
    this.waiting.delete(id);
    // A module that has panicked is not to be trusted with another request.
    if (answer.broken) this.restart();
    if (answer.problem === undefined) resolve(answer);
    else reject(new Error(problemText(answer.problem)));
  }

  /** The answer to a request; fails with a sentence about what is wrong with it. */
  async ask(request) {
    await this.ready;
    this.requests += 1;
    const id = this.requests;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, request });
    });
  }

  /** Ends whatever is computed, whose askers get `Stopped`; what the search knew is lost. */
  restart() {
    this.worker.terminate();
    this.giveUp();
    const waiting = [...this.waiting.values()];
    this.start();
    for (const { reject } of waiting) reject(new Stopped());
  }
}
