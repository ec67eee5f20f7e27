// Reviews of games: searches all positions in the background.

import { byId, targetOf } from "shared/elements.js";
import { Stopped } from "page/core/engine.js";
import { state } from "page/core/state.js";
import { GameTree, playedIn } from "page/core/tree.js";
import { board } from "page/core/board.js";
import { verdict } from "page/core/verdict.js";
import { drawReview, drawReviewBar, isReviewing } from "page/core/report.js";
import { curve, draw, drawMoves, drawOverlay, positionShown } from "page/core/show.js";
import { describe, searchInSlices, toggleAnalysis, unlessStopped } from "page/core/game.js";
import { recent } from "page/core/recent.js";

/** Milliseconds between two checks for the end of another search. */
const REVIEW_PAUSE = 100;

/**
 * Functions that are called with a tree after its review.
 * @type {((tree: GameTree) => void)[]}
 */
export const reviewed = [];

export const review = {
  /** Search time for each position, in seconds. */
  seconds: 0.5,

  /** True while the game shown is being reviewed. */
  get active() {
    return isReviewing();
  },

  toggle() {
    if (!this.active) return this.begin();
    state.review = null;
    return draw();
  },

  /** Reviews the line shown: searches every position that has not been reviewed. */
  async begin() {
    const { tree } = state;
    const run = { tree, done: 0, waits: false };
    const goesOn = () => state.review === run && this.active;
    state.review = run;
    tree.reviewed = tree.line();
    // Opened records are files already.
    if (!tree.isOpened) tree.id ??= Date.now();
    const keep = () => !tree.isOpened && tree === state.tree && recent.keep();
    // An endless analysis would block the review.
    if (state.analysing) toggleAnalysis();
    draw();
    await unlessStopped(goesOn, async () => {
      for (const node of tree.reviewed) {
        await this.examine(node, run, goesOn);
        if (!goesOn()) return;
        run.done += 1;
        keep();
        this.drawProgress();
      }
    });
    if (state.review === run) state.review = null;
    keep();
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
        drawReviewBar();
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

  /** Draws the progress after each position. Leaves the board alone, because somebody may be dragging a piece. */
  drawProgress() {
    drawReview();
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

  listen() {
    GameTree.markOf = (node) => verdict.markOf(node);
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
