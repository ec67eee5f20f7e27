// Records and links: opening, pasting, saving.

import { byId, html } from "shared/elements.js";
import { messageOf, problemText, t } from "page/core/text.js";
import { server } from "page/core/engine.js";
import { engine, state } from "page/core/state.js";
import { endOf, GameTree } from "page/core/tree.js";
import { room } from "page/core/current.js";
import { describe, interrupt, settle, setTreeToLookAt, tell, unlessStopped } from "page/core/game.js";

/** Maximum size of a file; the engine's limit is the same. */
const MAX_MEGABYTES = 16;
/**
 * Formats of saved records, their names and the endings of their files.
 * @type {{ form: Form, name: string, ending: string }[]}
 */
export const FORMS = [
  { form: "json", name: "JSON", ending: "jsonl" },
  { form: "sgf", name: "SGF", ending: "sgf" },
  { form: "ccgc", name: "CCGC", ending: "txt" },
];

/**
 * The records opened last: games, the trees of those that have been shown, cross-table with ratings or null.
 * @type {{ games: GameRecord[], trees: GameTree[], standing: Standing | null }}
 */
export const opened = { games: [], trees: [], standing: null };

/**
 * Functions that read texts that are no records. Each returns true if it has read a text.
 * @type {((text: string) => boolean)[]}
 */
export const readers = [];

/**
 * Returns a file's bytes in base64: the engine finds the encoding.
 * @param {File} file
 */
async function bytesOf(file) {
  /** @type {string} */
  const address = await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
  return address.slice(address.indexOf(",") + 1);
}

/**
 * Opens the games of files. Result files are read as one, so that their players share a cross-table.
 * @param {File[]} files
 */
export async function openFiles(files) {
  const sources = [];
  const results = files.filter(({ name }) => /\.jsonl?$/i.test(name));
  const isOneMatch = results.length > 1 && results.length === files.length;
  /** @param {File[]} some */
  const megabytes = (some) => some.reduce((sum, { size }) => sum + size, 0) / 2 ** 20;
  const parts = isOneMatch && megabytes(files) <= MAX_MEGABYTES ? [files] : files.map((file) => [file]);
  for (const part of parts) {
    const [{ name }] = part;
    const size = megabytes(part);
    if (size > MAX_MEGABYTES) return tell(t("unread", name, t("tooLarge", Math.round(size), MAX_MEGABYTES)));
    const texts = await Promise.all(part.map((file) => file.text()));
    const source = part.length > 1 ? { text: texts.join("\n") } : { bytes: await bytesOf(part[0]) };
    // Only a single file can be something else than a record.
    sources.push({ name, text: part.length > 1 ? "" : texts[0], source });
  }
  return openRecords(sources);
}

/**
 * @param {string} name
 * @param {string} text
 */
export function openText(name, text) {
  return openRecords([{ name, text, source: { text } }]);
}

/**
 * Opens the games of records, and reports what the engine could not read. Each record has a name, its text, and its
 * `source` for the engine: text or bytes.
 * @param {Source[]} records
 */
async function openRecords(records) {
  if (!room().panel().leaves) return tell(t("matchRuns"));
  if (records.length === 1 && readers.some((read) => read(records[0].text))) return undefined;
  interrupt();
  /** @type {{ games: GameRecord[], warnings: string[], standing: Standing | null }} */
  const found = { games: [], warnings: [], standing: null };
  for (const { name, source } of records) {
    try {
      const { games, warnings, standing } = await engine.ask({ do: "read", ...source });
      found.games.push(...games);
      found.warnings.push(...warnings.map(problemText));
      if (records.length === 1) found.standing = standing;
    } catch (error) {
      found.warnings.push(t("unread", name, messageOf(error)));
    }
  }
  // A match can have begun meanwhile.
  if (!room().panel().leaves) return tell(t("matchRuns"));
  if (found.games.length === 0) return settle(found.warnings.join("\n"));
  Object.assign(opened, { games: found.games, trees: [], standing: found.standing });
  /** @param {GameRecord} game */
  const points = ({ winner }) => (winner ? { black: "1–0", white: "0–1" }[winner] : "");
  byId("games").replaceChildren(...opened.games.map((game, index) =>
    html("option", { value: index }, `${index + 1}. ${game.black} – ${game.white} ${points(game)}`)));
  return showGame(0, [t("opened", opened.games.length), ...found.warnings].join("\n"));
}

/**
 * @param {number} index
 * @param {string | null} [message]
 */
export function showGame(index, message = null) {
  opened.trees[index] ??= GameTree.ofRecord(opened.games[index]);
  opened.trees[index].isOpened = true;
  setTreeToLookAt(opened.trees[index], message);
  byId("games-label").hidden = opened.games.length < 2;
  byId("games").value = String(index);
}

/** @param {Form} form */
export async function save(form) {
  const { tree } = state;
  await unlessStopped(() => true, async () => {
    // The last position of the line determines the winner.
    await describe(endOf(tree.mainLine()));
    const { text } = await engine.ask({ do: "write", form, game: tree.toRecord() });
    download(new Blob([text], { type: "text/plain" }), `otrera.${FORMS.find((one) => one.form === form)?.ending}`);
  });
}

/**
 * Saves a file in the browser's folder for downloads.
 * @param {Blob} blob
 * @param {string} name
 */
export function download(blob, name) {
  const url = URL.createObjectURL(blob);
  html("a", { href: url, download: name }).click();
  // Some browsers read the data only after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** True if no other computer can open the page's address. */
export const isOnlyHere = Boolean(server) || location.protocol === "file:";

/**
 * Shows and copies a link that contains the start and the moves up to the position shown, or a text to paste if nobody
 * else could open the link. Nothing is sent anywhere.
 */
export async function share() {
  const moves = state.tree.movesTo(state.tree.current);
  const hash = new URLSearchParams({ fen: state.tree.start, moves: moves.map((move) => move.replace(/[-/]/g, "")).join(",") });
  const link = `${location.href.split("#")[0]}#${hash}`;
  const text = moves.length > 0 ? `${state.tree.start} moves ${moves.join(" ")}` : state.tree.start;
  byId("link").value = isOnlyHere ? text : link;
  byId("link").hidden = false;
  try {
    await navigator.clipboard.writeText(byId("link").value);
    tell(t(isOnlyHere ? "textCopiedOnlyHere" : "copied"));
  } catch {
    byId("link").select();
    tell(t(isOnlyHere ? "shareOnlyHere" : "link"));
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
    return { isOpened: false, problem: t("linkBroken", messageOf(error)) };
  }
}
