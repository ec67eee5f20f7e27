// The page's controls and start-up.

import { byId, html } from "shared/elements.js";
import { language, settings, speak, t, TEXT, translate } from "page/core/text.js";
import { server } from "page/core/engine.js";
import { engine, state } from "page/core/state.js";
import { sound } from "page/core/sound.js";
import { ask, options } from "page/core/controls.js";
import { room, roomAt } from "page/core/room.js";
import {
  canMove, interrupt, play, playTyped, setHalf, settle, step, tell, toggleAnalysis, undo, unlessStopped,
} from "page/core/game.js";
import { hint } from "page/core/hint.js";
import { board, draw, drawOverlay, drawSearch, forgetGrid } from "page/core/show.js";
import { FORMS, isOnlyHere, openFiles, openLink, openText, save, share, showGame } from "page/core/records.js";
import { review } from "page/core/review.js";
import { recent } from "page/core/recent.js";
import { askNewGame, fillControls, fillNewGame, newGame, playRoom } from "page/rooms/play.js";
import { analyseRoom } from "page/rooms/analyse.js";
import { basics, door } from "page/rooms/door.js";
import { setUp } from "page/rooms/setup.js";
import { friend } from "page/rooms/friend.js";
import { lesson } from "page/rooms/lesson.js";
import { puzzles } from "page/rooms/puzzles.js";
import { match } from "page/rooms/match.js";
import { listenToPictures } from "page/picture.js";
import { rules } from "page/rules.js";

const THEMES = ["auto", "light", "dark"];
const SQUARES_SHOWN = ["off", "territory", "owners", "moves"];

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
  byId("share").textContent = t(isOnlyHere ? "shareText" : "share");
  if (server) byId("server-note").textContent = t("served", server);
  forgetGrid();
  if (state.tree) tell(null);
  room().renew();
}

function setTheme(theme) {
  settings.set("theme", theme);
  document.documentElement.style.colorScheme = theme === "auto" ? "" : theme;
}

/** Opens a room, unless a running match keeps the board. */
function goTo(wanted) {
  if (!wanted?.active && !room().panel().leaves) return tell(t("matchRuns"));
  return wanted?.visit();
}

/** Steps through the game by keys that neither a control nor a square uses. */
function stepByKey(event) {
  const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
  const isTyping = event.target.closest("input, select, textarea, dialog, .scroll-x");
  if (event.key === "Escape" && !event.target.closest("dialog")) setHalf({});
  if (isTyping || !room().panel().steps || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || !(event.key in steps)) return;
  event.preventDefault();
  step(steps[event.key]);
}

function listen() {
  const click = (id, action) => byId(id).addEventListener("click", () => action());
  const change = (id, action) => byId(id).addEventListener("change", ({ target }) => action(target));
  for (const id of ["door-play", "basics-play"]) click(id, () => askNewGame(false));
  click("door-analyse", () => analyseRoom.visit());
  for (const one of [playRoom, analyseRoom, door]) click(`open-${one.mode}`, () => goTo(one));
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
  change("squares-shown", ({ value }) => {
    state.squares = value;
    draw();
  });
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
    if (input.files.length > 0) openFiles([...input.files]);
    input.value = "";
  });
  listenToForms();
  listenToLines();
  playRoom.listen();
  door.listen();
  basics.listen();
  analyseRoom.listen();
  puzzles.listen();
  sound.listen();
  match.listen();
  review.listen();
  lesson.listen();
  friend.listen();
  listenToPictures();
  recent.listen();
  rules.listen();
  document.addEventListener("keydown", stepByKey);
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length > 0) openFiles([...event.dataTransfer.files]);
  });
  addEventListener("hashchange", async () => {
    if (!room().panel().leaves) return tell(t("matchRuns"));
    const { problem } = await openLink();
    // After a bad link, the engine resumes the interrupted task.
    if (problem) return settle(problem);
    return goTo(roomAt(location.hash));
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
  await review.prepare();
  const wanted = roomAt(location.hash);
  const { isOpened, problem } = await openLink();
  // A first visit begins at the door, unless its address names a room.
  if (!isOpened && !(await recent.restore())) await (wanted && wanted !== door ? newGame() : door.visit());
  if (problem) tell(problem);
  listen();
  if (wanted !== playRoom && wanted !== analyseRoom) wanted?.visit();
}

begin();
