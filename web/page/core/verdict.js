// Verdicts on moves: marks by the win rate and the lead that they lose, and accuracy.

import { percent } from "shared/elements.js";
import { t } from "page/core/text.js";
import { Stopped } from "page/core/engine.js";
import { engine, state } from "page/core/state.js";
import { areRatesHidden } from "page/core/current.js";
import { leadAt } from "page/core/lead.js";
import { bestLine, playedIn } from "page/core/tree.js";

/** Maximum loss of a move with the mark `best`, as a win rate. */
const BEST_LOSS = 0.01;
/** Marks of moves, best first, and their signs. */
/** @type {Record<Mark, string>} */
export const SIGNS = { best: "★", good: "", inaccuracy: "?!", mistake: "?", blunder: "??" };
/** Marks that are counted and drawn on the curve. Lessons and the signs above bars use only the last two. */
/** @type {Mark[]} */
export const FAULTS = ["inaccuracy", "mistake", "blunder"];
const GRAVE = FAULTS.slice(1);
/** Maximum number of moves of a better line drawn on the board. */
export const BETTER_MOVES = 4;
/** Maximum win rate, 0 to 1, that a right answer to an own mistake loses. */
export const RIGHT_LOSS = 0.02;
/** Minimum lead, in moves, that a text about a loss names. */
export const NAMED_LOSS = 0.5;

export const verdict = {
  /**
   * The engine's numbers of a review.
   * @type {Answers["marks"]}
   */
  scale: { marks: [], clear_rate: 1, rate_per_move: 0, phases: [] },

  /** Learns the numbers of a review. */
  async prepare() {
    while (this.scale.marks.length === 0) {
      try {
        this.scale = await engine.ask({ do: "marks" });
      } catch (error) {
        // A restart of the engine cancels the request.
        if (!(error instanceof Stopped)) throw error;
      }
    }
  },

  /**
   * Returns the win rate that a reviewed move lost, 0 for the engine's first choice; null if not reviewed. Where the
   * rate is clear, lost moves of the lead count too.
   * @param {GameNode} node
   */
  lossOf(node) {
    if (!node.parent?.isReviewed || !node.isReviewed) return null;
    if (node.parent.found?.best === node.move) return 0;
    const lead = this.isClear(node) ? Math.min(1, this.scale.rate_per_move * this.leadLossOf(node)) : 0;
    return Math.max(0, state.tree.lossOf(node) ?? 0, lead);
  },

  /**
   * True if a node's move was made in an unproven position whose win rate is clear.
   * @param {PlayedNode} node
   */
  isClear({ parent }) {
    return !parent.proof && parent.rate !== null && Math.max(parent.rate, 1 - parent.rate) > this.scale.clear_rate;
  },

  /**
   * True if a node's move was made in a proven position, in which it earns neither a star nor accuracy.
   * @param {PlayedNode} node
   */
  isDecided({ parent }) {
    return Boolean(parent.proof);
  },

  /**
   * Returns the moves of the lead that a node's move lost, at least 0. A proof gives only the minimum of a lead.
   * @param {PlayedNode} node
   */
  leadLossOf(node) {
    const [before, after] = [leadAt(node.parent), leadAt(node)];
    if (node.parent.proof || node.proof || !before || !after || before.isCounted !== after.isCounted) return 0;
    const lost = before.lead - after.lead;
    return Math.max(0, state.tree.moverOf(node.parent.ply) === "black" ? lost : -lost);
  },

  /**
   * Returns a text about the loss of a node's move: win rate, moves, or both.
   * @param {PlayedNode} node
   */
  lossText(node) {
    const lead = this.leadLossOf(node);
    const moves = lead.toFixed(1);
    const lost = Math.max(0, state.tree.lossOf(node) ?? 0);
    const loss = percent(lost);
    if (this.isClear(node) && this.scale.rate_per_move * lead >= lost) return t("movesLost", moves);
    return lead < NAMED_LOSS ? loss : t("andMoves", loss, moves);
  },

  /**
   * Returns the mark of a reviewed move; null if not reviewed, or while a game hides the rates.
   * @param {GameNode} node
   * @returns {Mark | null}
   */
  markOf(node) {
    const loss = this.lossOf(node);
    if (!node.parent || loss === null || areRatesHidden()) return null;
    if (loss <= BEST_LOSS) return this.isDecided(node) ? "good" : "best";
    return this.scale.marks.find(([least]) => loss >= least)?.[1] ?? "good";
  },

  /**
   * @param {GameNode} node
   * @returns {node is PlayedNode}
   */
  isFault(node) {
    const mark = this.markOf(node);
    return mark !== null && FAULTS.includes(mark);
  },

  /**
   * Returns the engine's line instead of a node's move.
   * @param {PlayedNode} node
   * @returns {Suggestion[]}
   */
  betterLine({ parent }) {
    const line = parent.found ? bestLine(parent.found, BETTER_MOVES) : [];
    return line.map((move, index) => ({ move, side: state.tree.moverOf(parent.ply + index) }));
  },

  /**
   * Returns the nodes of a side's reviewed moves.
   * @param {Side} side
   */
  movesOf(side) {
    const { tree } = state;
    const isOwn = (/** @type {PlayedNode} */ { parent }) => tree.moverOf(parent.ply) === side;
    return playedIn(tree.reviewed).filter((node) => isOwn(node) && this.lossOf(node) !== null);
  },

  /**
   * Returns the nodes of a side's mistakes and blunders.
   * @param {Side} side
   */
  gravesOf(side) {
    return this.movesOf(side).filter((node) => {
      const mark = this.markOf(node);
      return mark !== null && GRAVE.includes(mark);
    });
  },

  /**
   * Returns a side's accuracy (100 minus the mean loss in percent) and its number of each fault.
   * @param {Side} side
   */
  summary(side) {
    const moves = this.movesOf(side);
    const open = moves.filter((node) => !this.isDecided(node));
    const lost = open.reduce((sum, node) => sum + (this.lossOf(node) ?? 0), 0);
    const accuracy = open.length > 0 ? 100 * (1 - lost / open.length) : null;
    return { accuracy, counts: FAULTS.map((fault) => moves.filter((node) => this.markOf(node) === fault).length) };
  },

  /**
   * Returns the status text about the faulty move that led to this node; null if that move is no fault.
   * @param {GameNode} node
   */
  remark(node) {
    const mark = this.markOf(node);
    if (!mark || !this.isFault(node)) return null;
    const remark = t("reviewRemark", node.move, t("marks")[mark], this.lossText(node));
    return `${remark} ${t("reviewBetter", node.parent.found?.best)}`;
  },

  /**
   * Returns the review's arrows: the previewed better line with numbers, or the better move beside the played one.
   * @param {GameNode} node
   * @returns {Suggestion[]}
   */
  arrows(node) {
    if (state.preview) return this.betterLine(state.preview).map((one, index) => ({ ...one, number: index + 1 }));
    return this.isFault(node) ? [{ ...this.betterLine(node)[0], look: "better" }] : [];
  },

  /**
   * Returns the bars below the curve, one for each reviewed move.
   * @param {GameNode[]} line
   */
  bars(line) {
    return playedIn(line).filter((node) => this.lossOf(node) !== null).map((node) => {
      const mark = this.markOf(node);
      const sign = mark && GRAVE.includes(mark) ? SIGNS[mark] : "";
      return { ply: node.ply, share: this.lossOf(node) ?? 0, side: state.tree.moverOf(node.parent.ply), sign };
    });
  },
};
