// Reviews of games: searches all positions in the background and marks moves by the win rate that they lose.

import { byId, html, icon, percent, SIDES, targetOf } from "shared/elements.js";
import { t } from "page/core/text.js";
import { Stopped } from "page/core/engine.js";
import { engine, state } from "page/core/state.js";
import { recent } from "page/core/recent.js";
import { room } from "page/core/room.js";
import { leadAt } from "page/core/lead.js";
import { GameTree, playedIn } from "page/core/tree.js";
import { bestLine, describe, goTo, searchInSlices, toggleAnalysis, unlessStopped } from "page/core/game.js";
import { areRatesHidden, board, curve, draw, drawMoves, drawOverlay, positionShown } from "page/core/show.js";

/** Maximum loss of a move with the mark `best`, as a win rate. */
const BEST_LOSS = 0.01;
/** Marks of moves, best first, and their signs. */
/** @type {Record<Mark, string>} */
const SIGNS = { best: "★", good: "", inaccuracy: "?!", mistake: "?", blunder: "??" };
/** Marks that are counted and drawn on the curve. Lessons and the signs above bars use only the last two. */
/** @type {Mark[]} */
export const FAULTS = ["inaccuracy", "mistake", "blunder"];
const GRAVE = FAULTS.slice(1);
/** Maximum number of moves of a better line drawn on the board. */
export const BETTER_MOVES = 4;

/** Minimum lead, in moves, that a text about a loss names. */
const NAMED_LOSS = 0.5;
/** Milliseconds between two checks for the end of another search. */
const REVIEW_PAUSE = 100;

/**
 * Functions that are called with a tree after its review.
 * @type {((tree: GameTree) => void)[]}
 */
export const reviewed = [];

export const review = {
  /**
   * The engine's numbers of a review.
   * @type {Answers["marks"]}
   */
  scale: { marks: [], clear_rate: 1, rate_per_move: 0, phases: [] },
  /** Search time for each position, in seconds. */
  seconds: 0.5,
  /**
   * The review in progress, or null.
   * @type {Review | null}
   */
  run: null,

  /** True while the game shown is being reviewed. */
  get active() {
    return this.run?.tree === state.tree;
  },

  /** True if the game shown can be reviewed. */
  canBegin() {
    return state.tree.line().length > 1 && room().panel().review;
  },

  toggle() {
    if (!this.active) return this.begin();
    this.run = null;
    return draw();
  },

  /** Reviews the line shown: searches every position that has not been reviewed. */
  async begin() {
    const { tree } = state;
    const run = { tree, done: 0, waits: false };
    const goesOn = () => this.run === run && this.active;
    this.run = run;
    tree.reviewed = tree.line();
    // An endless analysis would block the review.
    if (state.analysing) toggleAnalysis();
    draw();
    await unlessStopped(goesOn, async () => {
      for (const node of tree.reviewed) {
        await this.examine(node, run, goesOn);
        if (!goesOn()) return;
        run.done += 1;
        this.drawProgress();
      }
    });
    if (this.run === run) this.run = null;
    // Opened records are files already.
    if (!tree.isOpened && tree === state.tree) {
      tree.id ??= Date.now();
      recent.keep();
    }
    if (tree === state.tree && tree.reviewed.every(({ isReviewed }) => isReviewed)) reviewed.forEach((take) => take(tree));
    draw();
  },

  /**
   * Searches one position. Waits for other searches to end, and starts again if another search interrupts.
   * @param {GameNode} node
   * @param {Review} run
   * @param {GoesOn} goesOn
   */
  async examine(node, run, goesOn) {
    const isFree = () => goesOn() && state.searches === 0 && !state.uninterruptible;
    while (goesOn() && !node.isReviewed) {
      run.waits = !isFree();
      if (run.waits) {
        this.drawBar();
        await new Promise((resolve) => {
          setTimeout(resolve, REVIEW_PAUSE);
        });
        continue;
      }
      try {
        const described = await describe(node);
        const isKnown = described.described.winner || node.found?.proven;
        if (!isKnown) await searchInSlices(described, { seconds: this.seconds, lostSeconds: 0 }, isFree);
        node.isReviewed = Boolean(isKnown) || isFree();
      } catch (error) {
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
   * Returns the element with a move's sign in the list, or null.
   * @param {GameNode} node
   */
  sign(node) {
    const mark = this.markOf(node) ?? (areRatesHidden() ? null : node.note.mark);
    if (!mark || !SIGNS[mark]) return null;
    const label = t("marks")[mark];
    return html("span", { class: `sign ${mark}`, role: "img", "aria-label": label, title: label }, SIGNS[mark]);
  },

  /**
   * Returns the button with the better move below a fault in the list. It shows the position before the fault.
   * @param {GameNode} node
   */
  betterButton(node) {
    if (!this.isFault(node)) return [];
    const text = `${t("better")}: ${node.parent.found?.best} (−${this.leadLossOf(node) < NAMED_LOSS ? this.lossText(node) : t("movesLost", this.leadLossOf(node).toFixed(1))})`;
    const attributes = { type: "button", class: "variation", "data-better": node.ply, onclick: () => goTo(node.parent) };
    return [html("button", attributes, text)];
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

  draw() {
    this.drawBar();
    const sides = SIDES.map((side) => ({ side, ...this.summary(side) }));
    byId("review-result").hidden = !SIDES.some((side) => this.movesOf(side).length > 0);
    byId("review-sides").replaceChildren(...sides.map(({ side, accuracy, counts }) => {
      const cells = [accuracy === null ? "–" : accuracy.toFixed(1), ...counts].map((text) => html("td", {}, text));
      return html("tr", {}, html("th", { scope: "row" }, icon(side), ` ${t(side)}`), ...cells);
    }));
    for (const { side, counts: [, mistakes, blunders] } of sides) {
      byId(`learn-${side}`).textContent = t("learn", t(side), mistakes + blunders);
      byId(`keep-${side}`).textContent = t("keepMistakes", t(side), mistakes + blunders);
      for (const button of [byId(`learn-${side}`), byId(`keep-${side}`)]) button.disabled = this.active || mistakes + blunders === 0;
    }
  },

  drawBar() {
    const run = this.active ? this.run : null;
    byId("review").textContent = t(run ? "reviewStop" : "review");
    byId("review").disabled = !run && !this.canBegin();
    byId("review-progress").hidden = !run;
    if (run) Object.assign(byId("review-progress"), { max: state.tree.reviewed.length, value: run.done });
    const done = run ? t("searching", run.done, state.tree.reviewed.length) : "";
    byId("review-done").textContent = run?.waits ? t("reviewWaits") : done;
  },

  /** Draws the progress after each position. Leaves the board alone, because somebody may be dragging a piece. */
  drawProgress() {
    this.draw();
    drawMoves();
    curve.draw({}, state.tree.current.ply);
  },

  /**
   * Previews the position before a fault with the better line; null shows the current position again.
   * @param {PlayedNode | null} node
   */
  point(node) {
    if (node === state.preview) return;
    state.preview = node;
    board.draw(state.tree, positionShown(node?.parent ?? state.tree.current));
    drawOverlay(state.tree.current);
  },

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

  listen() {
    GameTree.markOf = (node) => this.markOf(node);
    byId("review").addEventListener("click", () => this.toggle());
    const moves = byId("moves");
    /** @param {Event} event */
    const pointed = (event) => {
      /** @type {HTMLElement | null} */
      const button = targetOf(event).closest("[data-better]");
      this.point(playedIn(state.tree.line()).find(({ ply }) => String(ply) === button?.dataset.better) ?? null);
    };
    // Ignores a list that scrolls below a resting pointer.
    moves.addEventListener("mousemove", (event) => (event.movementX || event.movementY) && pointed(event));
    moves.addEventListener("focusin", pointed);
    for (const event of ["mouseleave", "focusout"]) moves.addEventListener(event, () => this.point(null));
  },
};
