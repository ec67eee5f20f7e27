// A game with its variations: a tree of positions, of which one is shown.

import { SIDES } from "shared/elements.js";
import { startOf } from "shared/replay.js";

/**
 * Creates a node: a position after a move. `rate` is Black's win rate from the longest search, `found` that
 * search's result, `lead` Black's lead in moves that it expects, `played` the estimate and effort of the move's player, `winner` the winner if the game ended early,
 * for example by resignation. `proof` is a proven outcome, `{ winner, margin }`: the margin is the number of moves that
 * the winner has left at the end, or null. `note` holds comment, name and value in a record. `isReviewed` is true after
 * the search of a review.
 * @param {GameNode | null} parent
 * @param {Move | null} move
 * @returns {GameNode}
 */
function newNode(parent, move) {
  const ply = parent ? parent.ply + 1 : 0;
  const known = { described: null, found: null, rate: null, lead: null, visits: 0, played: {}, winner: null, proof: null, note: {}, isReviewed: false };
  return /** @type {GameNode} */ ({ parent, move, ply, children: [], next: null, ...known });
}

/**
 * Returns the nodes from a node to the end of its line.
 * @param {GameNode} node
 */
export function lineFrom(node) {
  const nodes = [node];
  for (let { next } = node; next; { next } = next) nodes.push(next);
  return nodes;
}

/**
 * Returns the nodes from the root to a node.
 * @param {GameNode} node
 */
function pathTo(node) {
  const nodes = [node];
  for (let { parent } = node; parent; { parent } = parent) nodes.unshift(parent);
  return nodes;
}

/**
 * Returns the last node of a line, which has at least one.
 * @param {GameNode[]} line
 */
export function endOf(line) {
  return line[line.length - 1];
}

/**
 * Returns the nodes of a line after its first one.
 * @param {GameNode[]} line
 */
export function playedIn(line) {
  return /** @type {PlayedNode[]} */ (line.slice(1));
}

export class GameTree {
  /**
   * Returns the mark of a node's move for a record, or null. The review sets this.
   * @type {(node: GameNode) => Mark | null}
   */
  static markOf = () => null;

  /**
   * `start` is a FEN. `record` holds the other data of a record, such as players and event.
   * @param {Fen} start
   * @param {RecordHead} [record]
   */
  constructor(start, record = {}) {
    this.start = start;
    /** The side that moves first. */
    this.first = startOf(start).side;
    this.record = record;
    this.root = newNode(null, null);
    this.current = this.root;
    /**
     * Nodes of the last reviewed line, or of the line under review.
     * @type {GameNode[]}
     */
    this.reviewed = [];
    /**
     * Last node of the opened record, or null.
     * @type {GameNode | null}
     */
    this.end = null;
    /**
     * Last node of the main line, which stays the game while variations are shown; null: the line shown is the game.
     * @type {GameNode | null}
     */
    this.main = null;
    /** True for a game of an opened record. */
    this.isOpened = false;
    /**
     * Key of the game in the browser's storage, or null.
     * @type {number | null}
     */
    this.id = null;
    /**
     * Key of the played game that this tree analyses, or null.
     * @type {number | null}
     */
    this.of = null;
    /**
     * Ply at which the game was begun on the page, or null if no game was begun.
     * @type {number | null}
     */
    this.begun = null;
    /**
     * Clocks of a game played on the page.
     * @type {GameClock | null}
     */
    this.clock = null;
    /**
     * The game as last stored in the browser, in JSON, or null.
     * @type {string | null}
     */
    this.kept = null;
    /**
     * Node at which filling the rest was offered, or null.
     * @type {GameNode | null}
     */
    this.offered = null;
  }

  /**
   * Plays a move from the node shown. Shows and returns the node after the move, which is new if the move is.
   * @param {Move} move
   * @returns {PlayedNode}
   */
  play(move) {
    const parent = this.current;
    let node = parent.children.find((child) => child.move === move);
    if (!node) {
      node = /** @type {PlayedNode} */ (newNode(parent, move));
      parent.children.push(node);
      // A move at the end of an unfinished game continues it.
      if (this.main === parent && !parent.winner && parent.children.length === 1) this.main = node;
      if (parent.proof) this.proveChildren(parent);
    }
    this.show(node);
    return node;
  }

  /**
   * Shows a node; the line through that node becomes the line shown.
   * @param {GameNode} node
   */
  show(node) {
    this.current = node;
    /** @type {GameNode} */
    let below = node;
    for (; below.parent; below = below.parent) below.parent.next = below;
  }

  /**
   * Returns a new tree with only the moves up to a node, and with the known rates and proofs of their positions.
   * @param {GameNode} node
   */
  copyTo(node) {
    const copy = new GameTree(this.start);
    for (const { move, described, found, rate, lead, visits, played, proof, note } of pathTo(node)) {
      const target = move ? copy.play(move) : copy.root;
      Object.assign(target, { described, found, rate, lead, visits, played, proof, note: { ...note } });
    }
    return copy;
  }

  /** Returns a new tree with the line shown, its record, result and review; it shows the same position. */
  copy() {
    const line = this.line();
    const copy = this.copyTo(endOf(line));
    const copied = copy.line();
    copied.forEach((node, ply) => {
      node.isReviewed = line[ply].isReviewed;
    });
    copy.current.winner = endOf(line).winner;
    copy.record = { ...this.record };
    copy.of = this.begun === null ? this.of : this.id;
    copy.end = this.end === endOf(line) ? copy.current : null;
    copy.reviewed = this.reviewed.filter((node) => line[node.ply] === node).map(({ ply }) => copied[ply]);
    copy.show(copied[this.current.ply]);
    return copy;
  }

  /** Returns the nodes of the line shown, from the root to its end. */
  line() {
    return lineFrom(this.root);
  }

  /** Makes the line shown the main line. */
  keepMain() {
    const end = endOf(this.line());
    this.main = end.parent ? end : null;
  }

  /** Returns the nodes of the game itself: the main line or, without one, the line shown. */
  mainLine() {
    return this.main ? pathTo(this.main) : this.line();
  }

  /**
   * Returns the first node of the variation that leads to a node; null on the main line.
   * @param {GameNode} node
   */
  variationOf(node) {
    const main = new Set(this.mainLine());
    return playedIn(pathTo(node)).find((one) => !main.has(one)) ?? null;
  }

  /**
   * Makes the line through a node the main line.
   * @param {GameNode} node
   */
  promote(node) {
    this.show(node);
    this.keepMain();
  }

  /**
   * Removes a node with the moves after it, and shows the position before it.
   * @param {PlayedNode} node
   */
  remove(node) {
    const { parent } = node;
    parent.children = parent.children.filter((child) => child !== node);
    if (parent.next === node) parent.next = playedIn(this.mainLine()).find((one) => one.parent === parent) ?? null;
    this.show(parent);
  }

  /**
   * Returns the moves that lead to a node.
   * @param {GameNode} node
   */
  movesTo(node) {
    return playedIn(pathTo(node)).map(({ move }) => move);
  }

  /**
   * Returns the game with its variations as a record, in the JSON format of the engine.
   * @returns {GameRecord}
   */
  toRecord() {
    const line = this.mainLine();
    const { moves, notes } = this.lineToRecord(line, 0);
    const { number = 0, black = "", white = "", when = "", event = "", control = "", forfeit } = this.record;
    const ended = forfeit && endOf(line) === this.end ? { forfeit } : {};
    return { number, black, white, start: this.start, winner: this.winner(), ...ended, when, event, control, moves, notes };
  }

  /**
   * Returns the moves of a line of nodes and the notes on its positions by ply. The note on a variation's first
   * position belongs to the line that it branches from, so a variation's notes begin with ply 1.
   * @param {GameNode[]} line
   * @param {number} [first]
   * @returns {RecordLine}
   */
  lineToRecord(line, first = 1) {
    const moves = playedIn(line).map(({ move, played }) => ({ ...played, move }));
    /** @type {Record<number, Note>} */
    const notes = {};
    for (const [ply, node] of line.entries()) {
      if (ply < first) continue;
      const next = line[ply + 1];
      const others = next ? node.children.filter((child) => child !== next) : [];
      /** @type {Note} */
      const note = { ...node.note, ...this.analysisOf(node) };
      if (others.length > 0) note.variations = others.map((child) => this.lineToRecord([node, ...lineFrom(child)]));
      if (Object.keys(note).length > 0) notes[ply] = note;
    }
    return { moves, notes };
  }

  /**
   * Returns what a record stores about the search of a position and the move that led to it.
   * @param {GameNode} node
   * @returns {Note}
   */
  analysisOf(node) {
    const { found, rate, visits, isReviewed } = node;
    if (rate === null || (!found && !isReviewed)) return {};
    /**
     * @param {number} number
     * @param {number} unit
     */
    const round = (number, unit) => Math.round(number * unit) / unit;
    const lead = node.lead === null ? {} : { lead: round(node.lead, 100) };
    const best = found?.lines.find(({ move }) => move === found.best);
    const line = found?.best ? { line: [found.best, ...(best?.continuation ?? [])].join(" ") } : {};
    const mark = GameTree.markOf(node);
    return {
      // Tenths of a percent, as the engine writes values.
      value: round(100 * (2 * rate - 1), 10),
      // A known mark replaces that of a record, also by none.
      ...(mark ? { mark: mark === "good" ? undefined : mark } : {}),
      analysis: { black: round(rate, 1e5), ...lead, visits: Number.isFinite(visits) ? visits : 0, ...line },
    };
  }

  /**
   * Takes over the search of a position from a record.
   * @param {GameNode} node
   */
  recall(node) {
    const { value, analysis } = node.note;
    if (value != null) node.rate = Math.min(Math.max(0.5 + value / 200, 0), 1);
    if (!analysis) return;
    const { black, lead = null, visits, line = "" } = analysis;
    /** @param {number} number */
    const own = (number) => (this.moverOf(node.ply) === "black" ? number : -number);
    Object.assign(node, { rate: black, lead, visits, isReviewed: true });
    // Only a proof gives such a rate.
    if (black === 0 || black === 1) this.prove(node, { winner: SIDES[1 - black], margin: null });
    const [move, ...continuation] = line.split(" ");
    if (!move) return;
    const known = { win_rate: this.blackRate(node.ply, black), lead: lead === null ? null : own(lead), proven: null };
    const run = { iterations: 0, seconds: 0, depth: 0, recycled: 0, margin: null, isSaved: true };
    node.found = { best: move, visits, ...known, ...run, lines: [{ move, visits, continuation, ...known }] };
  }

  /**
   * Adds the moves of a record's line below a node. Returns the nodes of the line.
   * @param {GameNode} from
   * @param {RecordLine} given
   */
  addLine(from, { moves, notes }) {
    const nodes = [from];
    for (const { move, ...played } of moves) {
      this.current = endOf(nodes);
      const node = this.play(move);
      node.played = played;
      nodes.push(node);
    }
    for (const [ply, { variations = [], ...note }] of Object.entries(notes ?? {})) {
      const node = nodes[Number(ply)];
      if (!node) continue;
      node.note = note;
      this.recall(node);
      for (const variation of variations) this.addLine(node, variation);
    }
    // Shows the line itself, not its variations.
    this.show(endOf(nodes));
    return nodes;
  }

  /** Returns the winner of the game, or null. */
  winner() {
    const end = endOf(this.mainLine());
    return end.described?.winner ?? end.winner;
  }

  /**
   * Returns the side to move after this number of plies.
   * @param {number} ply
   */
  moverOf(ply) {
    return SIDES[(SIDES.indexOf(this.first) + ply) % 2];
  }

  /**
   * Converts the win rate of the side to move after this number of plies to Black's.
   * @param {number} ply
   * @param {number} rate
   */
  blackRate(ply, rate) {
    return this.moverOf(ply) === "black" ? rate : 1 - rate;
  }

  /**
   * Returns the row of a ply in a list of moves with two moves per row, from 1.
   * @param {number} ply
   */
  rowOf(ply) {
    return Math.ceil((ply + SIDES.indexOf(this.first)) / 2);
  }

  /**
   * Stores Black's win rate and lead from a search, unless a longer search is known.
   * @param {GameNode} node
   * @param {number} rate
   * @param {number} visits
   * @param {number | null} [lead]
   */
  learn(node, rate, visits, lead = node.lead) {
    if (visits < node.visits) return;
    Object.assign(node, { rate, visits, lead });
  }

  /**
   * Returns Black's lead in moves at a node: the proven one, else the expected one, or null.
   * @param {GameNode} node
   */
  leadOf({ proof, lead }) {
    if (proof?.margin == null) return lead;
    const proven = proof.winner === "black" ? proof.margin : -proof.margin;
    // The proof gives the minimum.
    return lead !== null && lead * proven > 0 && Math.abs(lead) > Math.abs(proven) ? lead : proven;
  }

  /**
   * Stores a proven outcome, unless one with at least its margin is known, and passes it on to parent and children.
   * @param {GameNode} node
   * @param {Proof} proof
   */
  prove(node, proof) {
    if (node.proof && (node.proof.margin ?? -1) >= (proof.margin ?? -1)) return;
    node.proof = proof;
    this.learn(node, proof.winner === "black" ? 1 : 0, Infinity);
    this.proveChildren(node);
    // A side that can move to a won position wins.
    if (node.parent && this.moverOf(node.parent.ply) === proof.winner) this.prove(node.parent, proof);
  }

  /**
   * Passes a proof that the side to move loses on to all children.
   * @param {GameNode} node
   */
  proveChildren({ proof, ply, children }) {
    if (!proof || this.moverOf(ply) === proof.winner) return;
    for (const child of children) this.prove(child, proof);
  }

  /**
   * Returns the win rate that a node's move lost (negative: gained); null unless both positions have a rate.
   * @param {PlayedNode} node
   * @param {number | null} [before]
   */
  lossOf(node, before = node.parent.rate) {
    if (before === null || node.rate === null) return null;
    return this.moverOf(node.parent.ply) === "black" ? before - node.rate : node.rate - before;
  }

  /**
   * Returns the tree of a game that the engine read from a record.
   * @param {GameRecord} record
   */
  static ofRecord(record) {
    const { start, winner, ...rest } = record;
    const tree = new GameTree(start, rest);
    const nodes = tree.addLine(tree.root, record);
    for (const { parent, played } of playedIn(nodes)) {
      // A saved analysis counts more than the player's own estimate.
      if (played.win_rate != null && parent.note.value == null) parent.rate = tree.blackRate(parent.ply, played.win_rate);
    }
    if (nodes.some(({ isReviewed }) => isReviewed)) tree.reviewed = nodes;
    tree.end = tree.current;
    tree.end.winner = winner;
    tree.show(tree.root);
    return tree;
  }
}

/**
 * Returns the best move of a search and its expected continuation, at most `count` moves.
 * @param {Pick<Found, "best" | "lines">} given
 * @param {number} count
 */
export function bestLine({ best, lines }, count) {
  if (best === null) return [];
  return [best, ...(lines.find(({ move }) => move === best)?.continuation ?? [])].slice(0, count);
}
