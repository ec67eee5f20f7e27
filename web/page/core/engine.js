// The page's interface to the engine: a worker, or the server of `otrera gui`. Requests are answered one after another.

import { byId } from "shared/elements.js";
import { problemText } from "page/core/text.js";

/** The error of a request that `restart` has cancelled. */
export class Stopped extends Error {}

/**
 * The server's description of its engine; null in a page opened from a file.
 * @type {Server | null}
 */
export const server = JSON.parse(byId("server").textContent || "null");

/** The native engine of `otrera gui`. */
export class ServedEngine {
  constructor() {
    this.stop = new AbortController();
    this.ready = Promise.resolve();
    // The program ends when its last connection closes. One tab holds a connection for all tabs: browsers allow six.
    navigator.locks.request(location.pathname, () => fetch("alive")).catch(() => {});
  }

  /**
   * Returns the answer to a request. Throws an error whose message is a sentence about the problem.
   * @template {RequestKind} Kind
   * @param {EngineRequest<Kind>} request
   * @returns {Promise<Answers[Kind]>}
   */
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

  /** Cancels all requests in progress: their callers get `Stopped`. */
  restart() {
    this.stop.abort();
    this.stop = new AbortController();
  }
}

/** The engine as a WebAssembly module in a worker. */
export class Engine {
  url = URL.createObjectURL(new Blob([byId("worker").textContent], { type: "text/javascript" }));
  module = byId("engine-module").textContent.trim();
  requests = 0;
  /**
   * The requests in progress by their ids.
   * @type {Map<number, { resolve: (answer: any) => void, reject: (error: Error) => void }>}
   */
  waiting = new Map();
  worker = this.start();

  start() {
    this.requests = 0;
    this.waiting = new Map();
    const worker = new Worker(this.url);
    /** @type {Promise<void>} */
    this.ready = new Promise((resolve, reject) => {
      this.giveUp = () => reject(new Stopped());
      worker.onmessage = ({ data }) => {
        if (data.ready) resolve();
        else if (data.id === undefined) reject(new Error(data.problem));
        else this.settle(data);
      };
      worker.onerror = (event) => reject(new Error(event.message));
    });
    // `ask` reports the error; this only prevents an unhandled rejection.
    this.ready.catch(() => {});
    worker.postMessage({ module: this.module });
    return worker;
  }

  /** @param {{ id: number, answer: { broken?: boolean, problem?: string } }} given */
  settle({ id, answer }) {
    const asked = this.waiting.get(id);
    this.waiting.delete(id);
    // A module that has panicked gets no more requests.
    if (answer.broken) this.restart();
    if (answer.problem === undefined) asked?.resolve(answer);
    else asked?.reject(new Error(problemText(answer.problem)));
  }

  /**
   * Returns the answer to a request. Throws an error whose message is a sentence about the problem.
   * @template {RequestKind} Kind
   * @param {EngineRequest<Kind>} request
   * @returns {Promise<Answers[Kind]>}
   */
  async ask(request) {
    await this.ready;
    this.requests += 1;
    const id = this.requests;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, request });
    });
  }

  /** Cancels all requests in progress: their callers get `Stopped`. The search tree is lost. */
  restart() {
    this.worker.terminate();
    this.giveUp?.();
    const waiting = [...this.waiting.values()];
    this.worker = this.start();
    for (const { reject } of waiting) reject(new Stopped());
  }
}
