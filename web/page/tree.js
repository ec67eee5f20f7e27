// A game with its variations: a tree of positions, of which one is shown.

/**
 * A position. `rate` is Black's winning rate by the longest search of it, `found` that search, `played` what the player
 * of the move tells of it, `winner` who has won where the game ended before its end on the board. `proof` is
 * `{ winner, margin }` where the outcome is certain: the moves that the winner has left at the end, if that is known.
 */
function newNode(parent, move) {
  const ply = parent ? parent.ply + 1 : 0;
  const known = { described: null, found: null, rate: null, visits: 0, played: {}, winner: null, proof: null };
  return { parent, move, ply, children: [], next: null, ...known };
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
    /** The moves that gave most away, once they have been looked for. */
    this.losses = null;
    /** Where the record ends. */
    this.end = null;
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

  /** The nodes from the root through the one shown to the end of its line. */
  line() {
    const nodes = [this.root];
    while (nodes.at(-1).next) nodes.push(nodes.at(-1).next);
    return nodes;
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
    const moves = line.slice(1).map(({ move, played }) => ({ ...played, move }));
    const { number = 0, black = "", white = "", when = "", event = "", control = "", forfeit } = this.record;
    const ended = forfeit && line.at(-1) === this.end ? { forfeit } : {};
    return { number, black, white, start: this.start, winner: this.winner(), ...ended, when, event, control, moves };
  }

  /** Who has won at the end of the line shown, or null. */
  winner() {
    const end = this.line().at(-1);
    return end.described?.winner ?? end.winner;
  }

  /** Who moves after so many plies. */
  moverOf(ply) {
    return SIDES[(SIDES.indexOf(this.first) + ply) % 2];
  }

  /** Black's winning rate, from that of the side to move after so many plies. */
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
  lossOf(node) {
    const before = node.parent?.rate;
    if (before == null || node.rate === null) return null;
    return this.moverOf(node.parent.ply) === "black" ? before - node.rate : node.rate - before;
  }

  /** A game as the engine read it from a record. */
  static ofRecord(record) {
    const { moves, start, winner, ...rest } = record;
    const tree = new GameTree(start, rest);
    for (const { move, ...played } of moves) {
      tree.play(move).played = played;
      const { win_rate: rate } = played;
      const before = tree.current.parent;
      if (rate != null) before.rate = tree.blackRate(before.ply, rate);
    }
    tree.end = tree.current;
    tree.end.winner = winner;
    tree.show(tree.root);
    return tree;
  }
}
