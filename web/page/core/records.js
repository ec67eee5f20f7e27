// Records and links: opening, pasting, saving.

import { byId, html } from "shared/elements.js";
import { problemText, t } from "page/core/text.js";
import { engine, state } from "page/core/state.js";
import { GameTree } from "page/core/tree.js";
import { room } from "page/core/room.js";
import { describe, interrupt, settle, setTreeToLookAt, tell, unlessStopped } from "page/core/game.js";
import { draw } from "page/core/show.js";

/** Maximum size of a file; the engine's limit is the same. */
const MAX_MEGABYTES = 16;
export const FORMS = { json: ["JSON", "jsonl"], sgf: ["SGF", "sgf"], ccgc: ["CCGC", "txt"] };

/** Games of the record opened last, and the trees of those that have been shown. */
let openedGames = [];
let openedTrees = [];

/** Functions that read texts that are no records. Each returns true if it has read a text. */
export const readers = [];

export async function openFile(file) {
  const megabytes = file.size / 2 ** 20;
  if (megabytes > MAX_MEGABYTES) {
    tell(t("unread", file.name, t("tooLarge", Math.round(megabytes), MAX_MEGABYTES)));
    return;
  }
  // The engine finds the encoding.
  const address = await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
  await openRecord(file.name, await file.text(), { bytes: address.slice(address.indexOf(",") + 1) });
}

export function openText(name, text) {
  return openRecord(name, text, { text });
}

/** Opens the games of a record, and reports what the engine could not read. `source` is its text or its bytes in base64. */
async function openRecord(name, text, source) {
  if (!room().panel().leaves) return tell(t("matchRuns"));
  if (readers.some((read) => read(text))) return undefined;
  interrupt();
  let games, warnings;
  try {
    ({ games, warnings } = await engine.ask({ do: "read", ...source }));
  } catch (error) {
    return settle(t("unread", name, error.message));
  }
  openedGames = games;
  openedTrees = [];
  byId("games").replaceChildren(...games.map((game, index) => html("option", { value: index }, `${index + 1}. ${game.black} – ${game.white}`)));
  return showGame(0, [t("opened", games.length), ...warnings.map(problemText)].join("\n"));
}

export function showGame(index, message = null) {
  openedTrees[index] ??= GameTree.ofRecord(openedGames[index]);
  setTreeToLookAt(openedTrees[index], message);
  byId("games-label").hidden = openedGames.length < 2;
}

/** Asks the engine which positions of the line the filling bounds prove, and shows these proofs. */
export async function proveLine(tree) {
  const line = tree.line();
  await unlessStopped(() => tree === state.tree, async () => {
    const { proofs } = await engine.ask({ do: "proofs", fen: tree.start, moves: tree.movesTo(line.at(-1)) });
    line.forEach((node, ply) => proofs[ply] && tree.prove(node, proofs[ply]));
    if (tree === state.tree) draw();
  });
}

export async function save(form) {
  const { tree } = state;
  await unlessStopped(() => true, async () => {
    // The last position of the line determines the winner.
    await describe(tree.line().at(-1));
    const { text } = await engine.ask({ do: "write", form, game: tree.toRecord() });
    download(new Blob([text], { type: "text/plain" }), `otrera.${FORMS[form][1]}`);
  });
}

/** Saves a file in the browser's folder for downloads. */
export function download(blob, name) {
  const url = URL.createObjectURL(blob);
  html("a", { href: url, download: name }).click();
  // Some browsers read the data only after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Shows and copies a link that contains the start and the moves up to the position shown. Nothing is sent anywhere. */
export async function share() {
  const moves = state.tree.movesTo(state.tree.current).map((move) => move.replace(/[-/]/g, ""));
  const hash = new URLSearchParams({ fen: state.tree.start, moves: moves.join(",") });
  const link = `${location.href.split("#")[0]}#${hash}`;
  byId("link").value = link;
  byId("link").hidden = false;
  try {
    await navigator.clipboard.writeText(link);
    tell(t("copied"));
  } catch {
    byId("link").select();
    tell(t("link"));
  }
}

/** Opens the game in the page's address. `isOpened` is true on success; `problem` is an error message or null. */
export async function openLink() {
  const { hash } = location;
  const wanted = new URLSearchParams(hash.slice(1));
  const fen = wanted.get("fen");
  if (!fen) return { isOpened: false, problem: null };
  interrupt();
  const texts = (wanted.get("moves") ?? "").split(",").filter(Boolean);
  try {
    const { fen: start } = await engine.ask({ do: "position", fen });
    const { played } = await engine.ask({ do: "position", fen, moves: texts });
    const tree = new GameTree(start);
    for (const move of played) tree.play(move);
    setTreeToLookAt(tree);
    // A reload opens the link again.
    history.replaceState(null, "", hash);
    return { isOpened: true, problem: null };
  } catch (error) {
    return { isOpened: false, problem: t("linkBroken", error.message) };
  }
}
