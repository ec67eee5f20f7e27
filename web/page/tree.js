// A game with its variations: a tree of positions, of which one is shown.

/**
 * A position. `rate` is Black's winning rate by the longest search of it, `found` that search, `played` what the player
 * of the move tells of it, `winner` who has won where the game ended before its end on the board. `proof` is
 * `{ winner, margin }` where the outcome is certain: the moves that the winner has left at the end, if that is known.
 * `note` holds comment, name and value of a record. `isReviewed` is true after the search of a review.
 */
function newNode(parent, move) {
  const ply = parent ? parent.ply + 1 : 0;
  const known = { described: null, found: null, rate: null, visits: 0, played: {}, winner: null, proof: null, note: {}, isReviewed: false };
  return { parent, move, ply, children: [], next: null, ...known };
}

/** The nodes from a node to the end of its line. */
function lineFrom(node) {
  const nodes = [node];
  while (nodes.at(-1).next) nodes.push(nodes.at(-1).next);
  return nodes;
}

class GameTree {
  /** `start` is a FEN; `record` holds what else a record says of the game. */
  constructor(start, record = {}) {
    this.start = start;
    /** The side that moves first. */
    this.first = startOf(start).side;
    this.record = record;
    this.root = newNode(null, null);
    this.current = this.root;
    /** The nodes of the line that was reviewed, or is being reviewed. */
    this.reviewed = [];
    /** Where the record ends. */
    this.end = null;
    /** The number by which the browser keeps the game, or null. */
    this.id = null;
    /** The ply at which the game was begun on the page, or null for a position to look at. */
    this.begun = null;
    /** The game as the browser keeps it, in JSON, or null. */
    this.kept = null;
    /** The position at which filling the rest was offered. */
    this.offered = null;
  }

  /** The node after a move from the one shown, which is shown then; made if nobody has played it there. */
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

  /** Shows a node; the line through it is the one that is walked from then on. */
  show(node) {
    this.current = node;
    for (let below = node; below.parent; below = below.parent) below.parent.next = below;
  }

  /** A tree of the moves that lead to a node, which is shown; what is known of the positions is kept. */
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

  /** The nodes from the root through the one shown to the end of its line. */
  line() {
    return lineFrom(this.root);
  }

  /** The moves that lead to a node. */
  movesTo(node) {
    const moves = [];
    for (let at = node; at.parent; at = at.parent) moves.unshift(at.move);
    return moves;
  }

  /** The line shown as a record, in the shape that the engine reads and writes. */
  toRecord() {
    const line = this.line();
    const { moves, notes } = this.lineToRecord(line, 0);
    const { number = 0, black = "", white = "", when = "", event = "", control = "", forfeit } = this.record;
    const ended = forfeit && line.at(-1) === this.end ? { forfeit } : {};
    return { number, black, white, start: this.start, winner: this.winner(), ...ended, when, event, control, moves, notes };
  }

  /**
   * Moves of a line of nodes, and the notes on its positions by ply. The first position of a variation has its note in the
   * line that the variation leaves, so that its notes begin with ply 1.
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

  /** Adds the moves of a line of a record below a node; returns the nodes of the line. */
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
    // The line itself is shown, not its variations.
    this.show(nodes.at(-1));
    return nodes;
  }

  /** Who has won at the end of the line shown, or null. */
  winner() {
    const end = this.line().at(-1);
    return end.described?.winner ?? end.winner;
  }

  /** The side to move after this number of plies. */
  moverOf(ply) {
    return SIDES[(SIDES.indexOf(this.first) + ply) % 2];
  }

  /** Black's winning rate, from that of the side to move after this number of plies. */
  blackRate(ply, rate) {
    return this.moverOf(ply) === "black" ? rate : 1 - rate;
  }

  /** The number of the row of a list of moves, two in a row, in which a ply stands. */
  rowOf(ply) {
    return Math.ceil((ply + SIDES.indexOf(this.first)) / 2);
  }

  /** Keeps the winning rate of a search, Black's, unless a longer one is known. */
  learn(node, rate, visits) {
    if (visits < node.visits) return;
    node.rate = rate;
    node.visits = visits;
  }

  /** Keeps the proven outcome with the largest margin, and proves by it the positions before and after. */
  prove(node, proof) {
    if (node.proof && (node.proof.margin ?? -1) >= (proof.margin ?? -1)) return;
    node.proof = proof;
    this.learn(node, proof.winner === "black" ? 1 : 0, Infinity);
    this.proveChildren(node);
    // A side that can move to a won position has won.
    if (node.parent && this.moverOf(node.parent.ply) === proof.winner) this.prove(node.parent, proof);
  }

  /** A lost side has lost after each of its moves. */
  proveChildren({ proof, ply, children }) {
    if (this.moverOf(ply) === proof.winner) return;
    for (const child of children) this.prove(child, proof);
  }

  /** How much of its winning rate the mover of a node gave away, where both positions have been searched. */
  lossOf(node, before = node.parent?.rate) {
    if (before == null || node.rate === null) return null;
    return this.moverOf(node.parent.ply) === "black" ? before - node.rate : node.rate - before;
  }

  /** A game as the engine read it from a record. */
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
