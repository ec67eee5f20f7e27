// A game with its variations: a tree of positions, of which one is shown.

import { SIDES } from "shared/elements.js";
import { startOf } from "shared/replay.js";

/**
 * Creates a node: a position after a move. `rate` is Black's win rate from the longest search, `found` that
 * search's result, `played` the estimate and effort of the move's player, `winner` the winner if the game ended early,
 * for example by resignation. `proof` is a proven outcome, `{ winner, margin }`: the margin is the number of moves that
 * the winner has left at the end, or null. `note` holds comment, name and value in a record. `isReviewed` is true after
 * the search of a review.
 */
function newNode(parent, move) {
  const ply = parent ? parent.ply + 1 : 0;
  const known = { described: null, found: null, rate: null, visits: 0, played: {}, winner: null, proof: null, note: {}, isReviewed: false };
  return { parent, move, ply, children: [], next: null, ...known };
}

/** Returns the nodes from a node to the end of its line. */
export function lineFrom(node) {
  const nodes = [node];
  while (nodes.at(-1).next) nodes.push(nodes.at(-1).next);
  return nodes;
}

export class GameTree {
  /** `start` is a FEN. `record` holds the other data of a record, such as players and event. */
  constructor(start, record = {}) {
    this.start = start;
    /** The side that moves first. */
    this.first = startOf(start).side;
    this.record = record;
    this.root = newNode(null, null);
    this.current = this.root;
    /** Nodes of the last reviewed line, or of the line under review. */
    this.reviewed = [];
    /** Last node of the opened record, or null. */
    this.end = null;
    /** Key of the game in the browser's storage, or null. */
    this.id = null;
    /** Ply at which the game was begun on the page, or null if no game was begun. */
    this.begun = null;
    /** Clocks of a game played on the page: `{ limit, used: { black, white } }` in seconds, without limit null. */
    this.clock = null;
    /** The game as last stored in the browser, in JSON, or null. */
    this.kept = null;
    /** Node at which filling the rest was offered, or null. */
    this.offered = null;
  }

  /** Plays a move from the node shown. Shows and returns the node after the move, which is new if the move is. */
  play(move) {
    const parent = this.current;
    let node = parent.children.find((child) => child.move === move);
    if (!node) {
      node = newNode(parent, move);
      parent.children.push(node);
      if (parent.proof) this.proveChildren(parent);
    }
    this.show(node);
    return node;
  }

  /** Shows a node; the line through that node becomes the line shown. */
  show(node) {
    this.current = node;
    for (let below = node; below.parent; below = below.parent) below.parent.next = below;
  }

  /** Returns a new tree with only the moves up to a node, and with the known rates and proofs of their positions. */
  copyTo(node) {
    const copy = new GameTree(this.start);
    const path = [];
    for (let at = node; at; at = at.parent) path.unshift(at);
    for (const { move, described, found, rate, visits, played, proof, note } of path) {
      const target = move ? copy.play(move) : copy.root;
      Object.assign(target, { described, found, rate, visits, played, proof, note: { ...note } });
    }
    return copy;
  }

  /** Returns a new tree with the line shown, its record, result and review; it shows the same position. */
  copy() {
    const line = this.line();
    const copy = this.copyTo(line.at(-1));
    const copied = copy.line();
    copied.forEach((node, ply) => {
      node.isReviewed = line[ply].isReviewed;
    });
    copy.current.winner = line.at(-1).winner;
    copy.record = { ...this.record };
    copy.end = this.end === line.at(-1) ? copy.current : null;
    copy.reviewed = this.reviewed.filter((node) => line[node.ply] === node).map(({ ply }) => copied[ply]);
    copy.show(copied[this.current.ply]);
    return copy;
  }

  /** Returns the nodes of the line shown, from the root to its end. */
  line() {
    return lineFrom(this.root);
  }

  /** Returns the moves that lead to a node. */
  movesTo(node) {
    const moves = [];
    for (let at = node; at.parent; at = at.parent) moves.unshift(at.move);
    return moves;
  }

  /** Returns the line shown as a record, in the JSON format of the engine. */
  toRecord() {
    const line = this.line();
    const { moves, notes } = this.lineToRecord(line, 0);
    const { number = 0, black = "", white = "", when = "", event = "", control = "", forfeit } = this.record;
    const ended = forfeit && line.at(-1) === this.end ? { forfeit } : {};
    return { number, black, white, start: this.start, winner: this.winner(), ...ended, when, event, control, moves, notes };
  }

  /**
   * Returns the moves of a line of nodes and the notes on its positions by ply. The note on a variation's first
   * position belongs to the line that it branches from, so a variation's notes begin with ply 1.
   */
  lineToRecord(line, first = 1) {
    const moves = line.slice(1).map(({ move, played }) => ({ ...played, move }));
    const notes = {};
    for (const [ply, node] of line.entries()) {
      if (ply < first) continue;
      const next = line[ply + 1];
      const others = next ? node.children.filter((child) => child !== next) : [];
      const note = { ...node.note };
      // Tenths of a percent, as the engine writes values.
      if (node.found) note.value = Math.round((2 * this.blackRate(node.ply, node.found.win_rate) - 1) * 1000) / 10;
      if (others.length > 0) note.variations = others.map((child) => this.lineToRecord([node, ...lineFrom(child)]));
      if (Object.keys(note).length > 0) notes[ply] = note;
    }
    return { moves, notes };
  }

  /** Adds the moves of a record's line below a node. Returns the nodes of the line. */
  addLine(from, { moves, notes }) {
    const nodes = [from];
    for (const { move, ...played } of moves) {
      this.current = nodes.at(-1);
      this.play(move).played = played;
      nodes.push(this.current);
    }
    for (const [ply, { variations = [], ...note }] of Object.entries(notes ?? {})) {
      const node = nodes[ply];
      if (!node) continue;
      node.note = note;
      for (const variation of variations) this.addLine(node, variation);
    }
    // Shows the line itself, not its variations.
    this.show(nodes.at(-1));
    return nodes;
  }

  /** Returns the winner at the end of the line shown, or null. */
  winner() {
    const end = this.line().at(-1);
    return end.described?.winner ?? end.winner;
  }

  /** Returns the side to move after this number of plies. */
  moverOf(ply) {
    return SIDES[(SIDES.indexOf(this.first) + ply) % 2];
  }

  /** Converts the win rate of the side to move after this number of plies to Black's. */
  blackRate(ply, rate) {
    return this.moverOf(ply) === "black" ? rate : 1 - rate;
  }

  /** Returns the row of a ply in a list of moves with two moves per row, from 1. */
  rowOf(ply) {
    return Math.ceil((ply + SIDES.indexOf(this.first)) / 2);
  }

  /** Stores Black's win rate from a search, unless a longer search is known. */
  learn(node, rate, visits) {
    if (visits < node.visits) return;
    node.rate = rate;
    node.visits = visits;
  }

  /** Stores a proven outcome, unless one with at least its margin is known, and passes it on to parent and children. */
  prove(node, proof) {
    if (node.proof && (node.proof.margin ?? -1) >= (proof.margin ?? -1)) return;
    node.proof = proof;
    this.learn(node, proof.winner === "black" ? 1 : 0, Infinity);
    this.proveChildren(node);
    // A side that can move to a won position wins.
    if (node.parent && this.moverOf(node.parent.ply) === proof.winner) this.prove(node.parent, proof);
  }

  /** Passes a proof that the side to move loses on to all children. */
  proveChildren({ proof, ply, children }) {
    if (this.moverOf(ply) === proof.winner) return;
    for (const child of children) this.prove(child, proof);
  }

  /** Returns the win rate that a node's move lost (negative: gained); null unless both positions have a rate. */
  lossOf(node, before = node.parent?.rate) {
    if (before == null || node.rate === null) return null;
    return this.moverOf(node.parent.ply) === "black" ? before - node.rate : node.rate - before;
  }

  /** Returns the tree of a game that the engine read from a record. */
  static ofRecord(record) {
    const { start, winner, ...rest } = record;
    const tree = new GameTree(start, rest);
    const nodes = tree.addLine(tree.root, record);
    for (const node of nodes) {
      const { value } = node.note;
      if (value != null) node.rate = Math.min(Math.max(0.5 + value / 200, 0), 1);
    }
    for (const { parent, played } of nodes.slice(1)) {
      if (played.win_rate != null) parent.rate = tree.blackRate(parent.ply, played.win_rate);
    }
    tree.end = tree.current;
    tree.end.winner = winner;
    tree.show(tree.root);
    return tree;
  }
}
