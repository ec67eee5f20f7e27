// The page's controls and start-up.

import { byId, html, SIDES } from "shared/elements.js";
import { language, settings, speak, t, TEXT, translate } from "page/core/text.js";
import { server } from "page/core/engine.js";
import { GameTree } from "page/core/tree.js";
import { sound } from "page/core/sound.js";
import {
  canMove, controlText, engine, interrupt, newGame, play, playTyped, setHalf, settle, setTreeToLookAt, state, step,
  tell, toggleAnalysis, undo, unlessStopped,
} from "page/core/game.js";
import { board, draw, drawOverlay, drawSearch, forgetGrid } from "page/core/show.js";
import { FORMS, openFile, openLink, openText, save, share, showGame } from "page/core/records.js";
import { review } from "page/core/review.js";
import { coach, hint } from "page/rooms/coach.js";
import { askNewGame, beginGame, ending } from "page/rooms/ending.js";
import { choices, setUp } from "page/rooms/setup.js";
import { lesson } from "page/rooms/lesson.js";
import { puzzles } from "page/rooms/puzzles.js";
import { match } from "page/rooms/match.js";
import { listenToPictures } from "page/picture.js";
import { recent } from "page/recent.js";
import { rules } from "page/rules.js";

const THEMES = ["auto", "light", "dark"];
const SQUARES_SHOWN = ["off", "owners", "moves"];
/** The engine's strengths. The selection list shows the levels first. */
export const CONTROLS = [
  ...[0.2, 1, 5, 20].map((seconds) => ({ seconds })),
  ...[1000, 20000, 200000].map((iterations) => ({ iterations })),
  ...Array.from({ length: 10 }, (_, index) => ({ level: index + 1 })),
];
const CONTROL_GROUPS = { levels: "level", full: "seconds", fixed: "iterations" };
/** Edges of the boards for new games. */
export const NEW_EDGES = [8, 10];

/** Fills a selection list and chooses one of its values. */
export function options(id, values, chosen) {
  byId(id).replaceChildren(...values.map(([value, text]) => html("option", { value, selected: String(value) === String(chosen) }, text)));
}

function setLanguage(chosen) {
  speak(chosen);
  translate();
  options("language", Object.entries(TEXT).map(([name, text]) => [name, text.language]), language);
  options("theme", THEMES.map((theme) => [theme, t("themes")[theme]]), byId("theme").value || (settings.get("theme") ?? "auto"));
  options("squares-shown", SQUARES_SHOWN.map((what) => [what, t("squaresShown")[what]]), byId("squares-shown").value || "off");
  fillControls();
  byId("save").replaceChildren(...Object.keys(FORMS).map((form) =>
    html("button", { type: "button", "data-form": form, onclick: () => save(form) }, t("saveAs", FORMS[form][0]))));
  fillNewGame();
  match.translate();
  byId("server-note").hidden = !server;
  // No other computer can open this page's address.
  byId("share").hidden = Boolean(server);
  if (server) byId("server-note").textContent = t("served", server);
  forgetGrid();
  if (state.tree) tell(null);
  if (setUp.active) setUp.show();
}

function setTheme(theme) {
  settings.set("theme", theme);
  document.documentElement.style.colorScheme = theme === "auto" ? "" : theme;
}

/** The choices in the dialog for a new game, preset to those of the last game. */
export const asked = { edge: 10, players: { black: "human", white: "engine" }, from: null };

function fillControls() {
  const chosen = byId("control").value || CONTROLS.findIndex(({ level }) => level === state.control.level);
  byId("control").replaceChildren(...Object.entries(CONTROL_GROUPS).map(([group, unit]) => {
    const options = [...CONTROLS.entries()].filter(([, control]) => unit in control);
    return html("optgroup", { label: t("controlGroups")[group] }, ...options.map(([value, control]) => html("option", { value }, controlText(control))));
  }));
  byId("control").value = chosen;
}

export function fillNewGame() {
  choices("new-size", "edge", NEW_EDGES.map((edge) => [edge, t("squaresOf", edge)]), asked.edge, (edge) => {
    asked.edge = edge;
  });
  for (const side of SIDES) {
    byId(`legend-${side}`).textContent = t("plays", t(side));
    choices(`new-${side}`, "player", ["human", "engine"].map((player) => [player, t(player)]), asked.players[side], (player) => {
      asked.players[side] = player;
    });
  }
}

/** Steps through the game by keys that neither a control nor a square uses. */
function stepByKey(event) {
  const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
  const isTyping = event.target.closest("input, select, textarea, dialog, .scroll-x");
  if (event.key === "Escape" && !event.target.closest("dialog")) setHalf({});
  if (isTyping || match.active || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || !(event.key in steps)) return;
  event.preventDefault();
  step(steps[event.key]);
}

function listen() {
  const click = (id, action) => byId(id).addEventListener("click", () => action());
  const change = (id, action) => byId(id).addEventListener("change", ({ target }) => action(target));
  click("to-start", () => step(-Infinity));
  click("back", () => step(-1));
  click("forward", () => step(1));
  click("to-end", () => step(Infinity));
  click("undo", undo);
  click("hint", hint);
  click("flip", () => {
    board.flip(!board.flipped);
    draw();
  });
  click("analyse", toggleAnalysis);
  click("new-game", () => askNewGame(false));
  click("open", () => byId("file").click());
  click("open-paste", () => {
    byId("pasted").value = "";
    ask("paste-dialog");
  });
  click("open-set-up", () => setUp.open());
  click("set-up-clear", () => setUp.clear());
  click("set-up-usual", () => setUp.usual());
  click("set-up-cancel", () => setUp.cancel());
  click("set-up-done", () => setUp.done());
  click("share", share);
  click("bench", measure);
  change("language", ({ value }) => setLanguage(value));
  change("theme", ({ value }) => setTheme(value));
  change("squares-shown", draw);
  byId("comment").addEventListener("input", ({ target }) => {
    const { note } = state.tree.current;
    if (target.value) note.comment = target.value;
    else delete note.comment;
  });
  change("comment", () => {
    state.tree.id ??= Date.now();
    recent.keep();
  });
  change("lines", drawSearch);
  change("games", ({ value }) => showGame(Number(value)));
  change("file", (input) => {
    if (input.files.length > 0) openFile(input.files[0]);
    input.value = "";
  });
  listenToForms();
  listenToLines();
  puzzles.listen();
  coach.listen();
  sound.listen();
  match.listen();
  review.listen();
  lesson.listen();
  listenToPictures();
  ending.listen();
  recent.listen();
  rules.listen();
  document.addEventListener("keydown", stepByKey);
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length > 0) openFile(event.dataTransfer.files[0]);
  });
  addEventListener("hashchange", async () => {
    if (match.isRunning) return tell(t("matchRuns"));
    const { problem } = await openLink();
    // After a bad link, the engine resumes the interrupted task.
    return problem && settle(problem);
  });
}

/** Runs the benchmark: shows the speed and the behaviour checksum, which is equal for all builds of the engine. */
async function measure() {
  const goesOn = interrupt();
  state.uninterruptible = true;
  byId("bench-result").textContent = t("measuring");
  let result = "";
  await unlessStopped(goesOn, async () => {
    // The first run is a warm-up: the browser optimizes the engine's code while it runs.
    await engine.ask({ do: "bench" });
    const bench = await engine.ask({ do: "bench" });
    const speed = Math.round(bench.iterations / bench.seconds).toLocaleString("en");
    result = t("benchResult", bench, speed);
  });
  byId("bench-result").textContent = result;
  if (!goesOn()) return;
  state.uninterruptible = false;
  settle();
}

/** Opens a dialog. Its answer stays empty if Escape closes the dialog. */
export function ask(id) {
  byId(id).returnValue = "";
  byId(id).showModal();
}

/** Draws the continuation of a best move under the pointer or with focus; a click plays the move. */
function listenToLines() {
  const lines = byId("best-moves").tBodies[0];
  const point = (index) => {
    if (index === state.pointed) return;
    state.pointed = index;
    drawOverlay(state.tree.current);
  };
  for (const event of ["mouseover", "focusin"]) {
    lines.addEventListener(event, ({ target }) => point(target.closest("tr")?.sectionRowIndex ?? null));
  }
  for (const event of ["mouseleave", "focusout"]) lines.addEventListener(event, () => point(null));
  lines.addEventListener("click", ({ target }) => {
    if (target.matches(".best") && canMove(state.tree.current)) play(target.textContent);
  });
}

function listenToForms() {
  const submit = (id, action) => byId(id).addEventListener("submit", (event) => {
    event.preventDefault();
    action();
  });
  submit("type-move", () => playTyped(byId("typed-move").value));
  submit("fen-form", async () => {
    interrupt();
    try {
      const { fen } = await engine.ask({ do: "position", fen: byId("fen").value });
      setTreeToLookAt(new GameTree(fen));
    } catch (error) {
      settle(t("unread", "FEN", error.message));
    }
  });
  byId("new-game-dialog").addEventListener("close", ({ target }) => {
    if (target.returnValue !== "begin") return;
    if (setUp.active) setUp.close();
    const [players, control] = [{ ...asked.players }, CONTROLS[byId("control").value]];
    if (asked.from) beginGame(asked.from.tree.copyTo(asked.from.node), players, control);
    else newGame(asked.edge, players, control);
  });
  byId("paste-dialog").addEventListener("close", ({ target }) => {
    if (target.returnValue === "read") openText(t("pasted"), byId("pasted").value);
  });
}

async function begin() {
  setTheme(settings.get("theme") ?? "auto");
  setLanguage(language);
  byId("status").textContent = t("loading");
  try {
    await engine.ready;
  } catch (error) {
    byId("status").textContent = t("engineFailed", error.message);
    return;
  }
  const { isOpened, problem } = await openLink();
  if (!isOpened && !(await recent.restore())) await newGame(asked.edge, { ...asked.players }, state.control);
  if (problem) tell(problem);
  listen();
}

begin();
