// Hints: the best move in steps.

import { squaresOf } from "shared/replay.js";
import { t } from "page/core/text.js";
import { state } from "page/core/state.js";
import { canMove } from "page/core/turn.js";
import { interrupt, look, search, tell, unlessStopped } from "page/core/game.js";

/** Search time for a hint, in seconds. */
const HINT_SECONDS = 1;

/** Number of a hint's steps: amazon, landing, arrow. */
const HINT_STEPS = 3;

/** Shows the next step of the hint for the best move: the amazon, then its target, then the arrow's target. */
export async function hint() {
  const node = state.tree.current;
  if (!canMove(node)) return;
  if (state.hint) {
    tellHint(state.hint.move, Math.min(state.hint.step + 1, HINT_STEPS));
    return;
  }
  const goesOn = interrupt();
  tell(t("thinking"));
  await unlessStopped(goesOn, async () => {
    await look(node, goesOn, HINT_SECONDS);
    if (!goesOn() || !node.found?.best) return;
    tellHint(node.found.best, 1);
    if (state.analysing) await search(node, { seconds: Infinity }, goesOn);
  });
}

/**
 * @param {Move} move
 * @param {number} step
 */
function tellHint(move, step) {
  const { from, to, arrow } = squaresOf(move);
  state.hint = { move, step };
  tell([t("hintAmazon", from), t("hintLanding", from, to), t("hintArrow", from, to, arrow)][step - 1]);
}
