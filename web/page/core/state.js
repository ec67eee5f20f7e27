// The engine, and the state of the page.

import { Engine, ServedEngine, server } from "page/core/engine.js";

export const engine = server ? new ServedEngine() : new Engine();

/** @type {State} */
export const state = {
  /** The current room. */
  mode: "play",
  tree: /** @type {never} */ (null),
  players: { black: "human", white: "engine" },
  /** The engine's strength: `{ level }`, `{ seconds }` or `{ iterations }` for a move. */
  control: { level: 4 },
  /** The chosen part of a move: `{}`, `{ from }` or `{ from, to }`. */
  half: {},
  /** The node of the move just played, which the engine answers even if the tree already contains a reply. */
  unanswered: null,
  /** Number of interruptions so far; a task ends when the number changes. */
  change: 0,
  /** The value of `change` when the engine began to think about its move; any other value when it does not. */
  replying: null,
  analysing: false,
  /** True while a search runs that only a restart of the engine can stop. */
  uninterruptible: false,
  /** Search result for the position shown, or null. */
  found: null,
  /** The hint: its move and the step up to which the move is shown, `{ move, step }`; step 3 shows the whole move. */
  hint: null,
  /** Index of the best move under the pointer or with focus, or null. */
  pointed: null,
  /** Node of a faulty move whose better line has pointer or focus, or null. The board shows the position before it. */
  preview: null,
  /** The owners of squares that somebody chose to see in Analyse, the room with this choice; null for the usual ones. */
  squares: null,
  /** The review in progress, or null. */
  review: null,
  /** Number of searches in progress that a review waits for. */
  searches: 0,
  message: null,
};
