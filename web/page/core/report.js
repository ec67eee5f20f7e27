// Draws the review of the game shown, which may be in progress.

import { byId, html, icon, SIDES } from "shared/elements.js";
import { t } from "page/core/text.js";
import { state } from "page/core/state.js";
import { room } from "page/core/current.js";
import { verdict } from "page/core/verdict.js";

/** True while the game shown is being reviewed. */
export function isReviewing() {
  return state.review?.tree === state.tree;
}

/** True if the game shown can be reviewed. */
export function canReview() {
  return state.tree.line().length > 1 && room().panel().review;
}

/** Draws the review: its button and progress, accuracy and faults of each side. */
export function drawReview() {
  drawReviewBar();
  const sides = SIDES.map((side) => ({ side, ...verdict.summary(side) }));
  byId("review-result").hidden = !SIDES.some((side) => verdict.movesOf(side).length > 0);
  byId("review-sides").replaceChildren(...sides.map(({ side, accuracy, counts }) => {
    const cells = [accuracy === null ? "–" : accuracy.toFixed(1), ...counts].map((text) => html("td", {}, text));
    return html("tr", {}, html("th", { scope: "row" }, icon(side), ` ${t(side)}`), ...cells);
  }));
  for (const { side, counts: [, mistakes, blunders] } of sides) {
    byId(`learn-${side}`).textContent = t("learn", t(side), mistakes + blunders);
    byId(`keep-${side}`).textContent = t("keepMistakes", t(side), mistakes + blunders);
    for (const button of [byId(`learn-${side}`), byId(`keep-${side}`)]) button.disabled = isReviewing() || mistakes + blunders === 0;
  }
}

/** Draws the review's button and progress. */
export function drawReviewBar() {
  const run = isReviewing() ? state.review : null;
  byId("review").textContent = t(run ? "reviewStop" : "review");
  byId("review").disabled = !run && !canReview();
  byId("review-progress").hidden = !run;
  if (run) Object.assign(byId("review-progress"), { max: state.tree.reviewed.length, value: run.done });
  const done = run ? t("searching", run.done, state.tree.reviewed.length) : "";
  byId("review-done").textContent = run?.waits ? t("reviewWaits") : done;
}
