// The page's controls and start-up.

import { byId, html, targetOf } from "shared/elements.js";
import { language, messageOf, settings, speak, t, TEXT, translate } from "page/core/text.js";
import { server } from "page/core/engine.js";
import { engine, state } from "page/core/state.js";
import { sound } from "page/core/sound.js";
import { ask, options } from "page/core/controls.js";
import { board } from "page/core/board.js";
import { room, roomAt } from "page/core/current.js";
import { canMove } from "page/core/turn.js";
import { verdict } from "page/core/verdict.js";
import {
  interrupt, play, playTyped, setHalf, settle, step, tell, toggleAnalysis, undo, unlessStopped,
} from "page/core/game.js";
import { hint } from "page/core/hint.js";
import { draw, drawOverlay, drawSearch, forgetGrid } from "page/core/show.js";
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

/** @param {string} chosen */
function setLanguage(chosen) {
  speak(chosen);
  translate();
  options("language", Object.entries(TEXT).map(([name, text]) => [name, text.language]), language);
  options("theme", Object.entries(t("themes")), byId("theme").value || (settings.get("theme") ?? "auto"));
  options("squares-shown", Object.entries(t("squaresShown")), byId("squares-shown").value || "off");
  fillControls();
  byId("save").replaceChildren(...FORMS.map(({ form, name }) =>
    html("button", { type: "button", "data-form": form, onclick: () => save(form) }, t("saveAs", name))));
  fillNewGame();
  match.translate();
  byId("server-note").hidden = !server;
  byId("share").textContent = t(isOnlyHere ? "shareText" : "share");
  if (server) byId("server-note").textContent = t("served", server);
  forgetGrid();
  if (state.tree) tell(null);
  room().renew();
}

/** @param {string} theme */
function setTheme(theme) {
  settings.set("theme", theme);
  document.documentElement.style.colorScheme = theme === "auto" ? "" : theme;
}

/**
 * Opens a room, unless a running match keeps the board.
 * @param {Room | undefined} wanted
 */
function goTo(wanted) {
  if (!wanted?.active && !room().panel().leaves) return tell(t("matchRuns"));
  return wanted?.visit();
}

/**
 * Steps through the game by keys that neither a control nor a square uses.
 * @param {KeyboardEvent} event
 */
function stepByKey(event) {
  const by = new Map([["ArrowLeft", -1], ["ArrowRight", 1], ["Home", -Infinity], ["End", Infinity]]).get(event.key);
  const isTyping = targetOf(event).closest("input, select, textarea, dialog, .scroll-x, .scroll-table");
  if (!room().panel().steps) return;
  if (event.key === "Escape" && !targetOf(event).closest("dialog")) setHalf({});
  if (!by || isTyping || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  step(by);
}

/**
 * Calls an action after each click on a button.
 * @param {keyof Elements} id
 * @param {() => unknown} action
 */
function click(id, action) {
  byId(id).addEventListener("click", () => action());
}

/**
 * Calls an action with an element after each change of its value.
 * @template {keyof Elements} Id
 * @param {Id} id
 * @param {(element: Elements[Id]) => unknown} action
 */
function change(id, action) {
  byId(id).addEventListener("change", () => action(byId(id)));
}

/** The ways between the rooms: buttons, and the page's address. */
function listenToWays() {
  click("door-play", () => askNewGame(false));
  click("basics-play", () => askNewGame(false));
  click("door-analyse", () => analyseRoom.visit());
  click("open-play", () => goTo(playRoom));
  click("open-analyse", () => goTo(analyseRoom));
  click("open-door", () => goTo(door));
  addEventListener("hashchange", async () => {
    if (!room().panel().leaves) return tell(t("matchRuns"));
    const { problem } = await openLink();
    // After a bad link, the engine resumes the interrupted task.
    if (problem) return settle(problem);
    return goTo(roomAt(location.hash));
  });
}

/** The game shown: steps, typed moves, hints, analysis. */
function listenToGame() {
  click("to-start", () => step(-Infinity));
  click("back", () => step(-1));
  click("forward", () => step(1));
  click("to-end", () => step(Infinity));
  document.addEventListener("keydown", stepByKey);
  click("undo", undo);
  click("hint", hint);
  click("analyse", toggleAnalysis);
  byId("type-move").addEventListener("submit", (event) => {
    event.preventDefault();
    playTyped(byId("typed-move").value);
  });
  listenToLines();
}

/** The view of the board and of the analysis. */
function listenToView() {
  click("flip", () => {
    board.flip(!board.flipped);
    draw();
  });
  change("squares-shown", ({ value }) => {
    state.squares = /** @type {SquaresShown} */ (value);
    draw();
  });
  change("lines", drawSearch);
}

/** Records: files, pasted texts, links, comments. */
function listenToRecords() {
  click("open", () => byId("file").click());
  change("file", (input) => {
    if (input.files?.length) openFiles([...input.files]);
    input.value = "";
  });
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer?.files.length) openFiles([...event.dataTransfer.files]);
  });
  click("open-paste", () => {
    byId("pasted").value = "";
    ask("paste-dialog");
  });
  byId("paste-dialog").addEventListener("close", () => {
    if (byId("paste-dialog").returnValue === "read") openText(t("pasted"), byId("pasted").value);
  });
  change("games", ({ value }) => showGame(Number(value)));
  click("share", share);
  byId("comment").addEventListener("input", () => {
    const { note } = state.tree.current;
    const { value } = byId("comment");
    if (value) note.comment = value;
    else delete note.comment;
  });
  change("comment", () => {
    state.tree.id ??= Date.now();
    recent.keep();
  });
}

/** The set-up of a position. */
function listenToSetUp() {
  click("open-set-up", () => setUp.open());
  click("set-up-clear", () => setUp.clear());
  click("set-up-usual", () => setUp.usual());
  click("set-up-cancel", () => setUp.cancel());
  click("set-up-done", () => setUp.done());
}

/** The page's settings, and the benchmark. */
function listenToSettings() {
  change("language", ({ value }) => setLanguage(value));
  change("theme", ({ value }) => setTheme(value));
  click("bench", measure);
}

function listen() {
  listenToWays();
  listenToGame();
  listenToView();
  listenToRecords();
  listenToSetUp();
  listenToSettings();
  listenToPictures();
  for (const one of [playRoom, door, basics, analyseRoom, puzzles, match, lesson, friend]) one.listen();
  for (const part of [sound, review, recent, rules]) part.listen();
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
  /** @param {number | null} index */
  const point = (index) => {
    if (index === state.pointed) return;
    state.pointed = index;
    drawOverlay(state.tree.current);
  };
  for (const event of ["mouseover", "focusin"]) {
    lines.addEventListener(event, (given) => point(targetOf(given).closest("tr")?.sectionRowIndex ?? null));
  }
  for (const event of ["mouseleave", "focusout"]) lines.addEventListener(event, () => point(null));
  lines.addEventListener("click", (event) => {
    const target = targetOf(event);
    if (target.matches(".best") && canMove(state.tree.current)) play(target.textContent);
  });
}

async function begin() {
  setTheme(settings.get("theme") ?? "auto");
  setLanguage(language);
  byId("status").textContent = t("loading");
  try {
    await engine.ready;
  } catch (error) {
    byId("status").textContent = t("engineFailed", messageOf(error));
    return;
  }
  await verdict.prepare();
  const wanted = roomAt(location.hash);
  const { isOpened, problem } = await openLink();
  // A first visit begins at the door, unless its address names a room.
  if (!isOpened && !(await recent.restore())) await (wanted && wanted !== door ? newGame() : door.visit());
  if (problem) tell(problem);
  listen();
  if (!wanted?.active) wanted?.visit();
}

begin();
