// Hints: the best move in steps.

import { squaresOf } from "shared/replay.js";
import { t } from "page/core/text.js";
import { state } from "page/core/state.js";
import { canMove, interrupt, look, search, tell, unlessStopped } from "page/core/game.js";
import { board } from "page/core/show.js";

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

/**
 * True if the squares chosen so far are those of the hint's move.
 * @param {Half} half
 */
export function agreesWithHint(half) {
  if (!state.hint) return false;
  const { from, to } = squaresOf(state.hint.move);
  return [undefined, from].includes(half.from) && [undefined, to].includes(half.to);
}

/**
 * Returns the SVG elements of a move up to a step of the hint (1 to 3); without a step, of the whole move.
 * @param {Move} move
 * @param {number | undefined} step
 * @param {string} look
 */
export function partsOf(move, step, look) {
  const { from, to, arrow } = squaresOf(move);
  if (step === 1) return [board.cell(from, `${look} here`, 0.6)];
  return board.course({ from, to, arrow: step === 2 ? null : arrow }, look, `${look} shot`);
}
