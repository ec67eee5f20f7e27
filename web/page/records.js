// Records and links: opened, pasted, saved; and the moves of a game that cost most.

/** The largest file that is read, as the engine's own limit. */
const MAX_MEGABYTES = 16;
const FORMS = { json: ["JSON", "jsonl"], sgf: ["SGF", "sgf"], ccgc: ["CCGC", "txt"] };

/** The games of the record that was opened last, and their trees as far as they were shown. */
let openedGames = [];
let openedTrees = [];

async function openFile(file) {
  const megabytes = file.size / 2 ** 20;
  if (megabytes > MAX_MEGABYTES) {
    tell(t("unread", file.name, t("tooLarge", Math.round(megabytes), MAX_MEGABYTES)));
    return;
  }
  const text = decoded(await file.arrayBuffer());
  if (text === null) tell(t("unread", file.name, t("notText")));
  else await openText(file.name, text);
}

/** Text in UTF-8 or, as Chinese programs on Windows write it, GBK; null if it is in neither. */
function decoded(bytes) {
  for (const encoding of ["utf-8", "gb18030"]) {
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch {
      // Then it is in another.
    }
  }
  return null;
}

async function openText(name, text) {
  if (match.readFile(text)) return match.resume(text);
  interrupt();
  let games;
  try {
    ({ games } = await engine.ask({ do: "read", text }));
  } catch (error) {
    return settle(t("unread", name, error.message));
  }
  openedGames = games;
  openedTrees = [];
  byId("games").replaceChildren(...games.map((game, index) => html("option", { value: index }, `${index + 1}. ${game.black} – ${game.white}`)));
  return showGame(0, t("opened", games.length));
}

function showGame(index, message = null) {
  if (setUp.active) setUp.close();
  openedTrees[index] ??= GameTree.ofRecord(openedGames[index]);
  setTreeToLookAt(openedTrees[index], message);
  byId("games-label").hidden = openedGames.length < 2;
}

/** Shows at which positions of the line counting proves the outcome. */
async function proveLine(tree) {
  const line = tree.line();
  await unlessStopped(() => tree === state.tree, async () => {
    const { proofs } = await engine.ask({ do: "proofs", fen: tree.start, moves: tree.movesTo(line.at(-1)) });
    line.forEach((node, ply) => proofs[ply] && tree.prove(node, proofs[ply]));
    if (tree === state.tree) draw();
  });
}

async function save(form) {
  const { tree } = state;
  await unlessStopped(() => true, async () => {
    // The end of the line says who has won.
    await describe(tree.line().at(-1));
    const { text } = await engine.ask({ do: "write", form, game: tree.toRecord() });
    const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    html("a", { href: url, download: `otrera.${FORMS[form][1]}` }).click();
    // Some browsers read it only now.
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  });
}

/** A link that holds the start and the moves up to the position shown: nothing is sent anywhere. */
async function share() {
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

/** Shows what the address asks for. Returns whether it did, and what is wrong with the address. */
async function openLink() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const fen = wanted.get("fen");
  if (!fen) return { isOpened: false, problem: null };
  interrupt();
  const texts = (wanted.get("moves") ?? "").split(",").filter(Boolean);
  try {
    const { fen: start } = await engine.ask({ do: "position", fen });
    const { played } = await engine.ask({ do: "position", fen, moves: texts });
    if (setUp.active) setUp.close();
    const tree = new GameTree(start);
    for (const move of played) tree.play(move);
    setTreeToLookAt(tree);
    return { isOpened: true, problem: null };
  } catch (error) {
    return { isOpened: false, problem: t("linkBroken", error.message) };
  }
}

/** How many moves are said to have cost most, and how long each position of the game is searched. */
const LOSSES = 5;
const LOSS_SECONDS = 0.3;

/** Searches every position of the line and lists the moves that gave most away. */
async function findLosses() {
  const { tree } = state;
  const line = tree.line();
  const goesOn = interrupt();
  const progress = byId("losses-progress");
  Object.assign(progress, { hidden: false, max: line.length, value: 0 });
  byId("losses").disabled = true;
  await unlessStopped(goesOn, () => searchAll(line, goesOn, (done) => {
    progress.value = done;
    byId("losses-done").textContent = t("searching", done, line.length);
  }));
  progress.hidden = true;
  byId("losses").disabled = false;
  byId("losses-done").textContent = "";
  if (!goesOn()) return;
  tree.losses = line.filter((node) => tree.lossOf(node) > 0).sort((a, b) => tree.lossOf(b) - tree.lossOf(a)).slice(0, LOSSES);
  settle();
}

/** Searches positions one after the other, as long as that is wanted. */
async function searchAll(nodes, goesOn, tellProgress) {
  for (const [index, node] of nodes.entries()) {
    await describe(node);
    const isKnown = node.described.winner || node.found?.proven;
    if (!isKnown) await search(node, { seconds: LOSS_SECONDS }, goesOn);
    if (!goesOn()) return;
    tellProgress(index + 1);
  }
}
