// Hints: the best move in steps.

import { squaresOf } from "shared/replay.js";
import { t } from "page/core/text.js";
import { state } from "page/core/state.js";
import { canMove, interrupt, look, search, tell, unlessStopped } from "page/core/game.js";
import { board } from "page/core/show.js";

/** Search time for a hint, in seconds. */
const HINT_SECONDS = 1;

/** Text keys of a hint's steps: amazon, landing, arrow. */
const HINT_STEPS = ["hintAmazon", "hintLanding", "hintArrow"];

/** Shows the next step of the hint for the best move: the amazon, then its target, then the arrow's target. */
export async function hint() {
  const node = state.tree.current;
  if (!canMove(node)) return;
  if (state.hint) {
    tellHint(state.hint.move, Math.min(state.hint.step + 1, HINT_STEPS.length));
    return;
  }
  const goesOn = interrupt();
  tell(t("thinking"));
  await unlessStopped(goesOn, async () => {
    await look(node, goesOn, HINT_SECONDS);
    if (!goesOn()) return;
    tellHint(node.found.best, 1);
    if (state.analysing) await search(node, { seconds: Infinity }, goesOn);
  });
}

function tellHint(move, step) {
  const { from, to, arrow } = squaresOf(move);
  state.hint = { move, step };
  tell(t(HINT_STEPS[step - 1], from, to, arrow));
}

/** True if the squares chosen so far are those of the hint's move. */
export function agreesWithHint(half) {
  const wanted = state.hint && squaresOf(state.hint.move);
  return Boolean(wanted) && ["from", "to"].every((part) => [undefined, wanted[part]].includes(half[part]));
}

/** Returns the SVG elements of a move up to a step of the hint (1 to 3); without a step, of the whole move. */
export function partsOf(move, step, look) {
  const { from, to, arrow } = squaresOf(move);
  if (step === 1) return [board.cell(from, `${look} here`, 0.6)];
  return board.course({ from, to, arrow: step === 2 ? null : arrow }, look, `${look} shot`);
}
