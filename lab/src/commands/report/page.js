// The page: shows one game at one ply, lists the games, and handles navigation.

const DATA = JSON.parse(byId("data").textContent);
const GAMES = DATA.games;

/** Rows added to the game list at a time; scrolling adds more. */
const ROWS_AT_ONCE = 100;

const shown = { game: null, ply: 0 };
const filter = { pair: null, forfeits: false };
let listed = [];

const board = new Board(byId("board"));
const curve = new Curve(byId("curve"), (ply) => show(shown.game, ply), chart);

/** Shows a game after `ply` moves; clamps both numbers to their range. */
function show(number, ply) {
  if (GAMES.length === 0) return;
  const before = shown.game;
  shown.game = Math.min(Math.max(0, number), GAMES.length - 1);
  const game = GAMES[shown.game];
  shown.ply = Math.min(Math.max(0, ply), game.moves.length);
  if (shown.game !== before) showGame(game);
  showPly(game);
  history.replaceState(null, "", `#game=${shown.game}&ply=${shown.ply}`);
}

function showGame(game) {
  const players = SIDES.map((side) => html("span", { class: "player" }, icon(side), html("span", { class: "name" }, game[side])));
  byId("game-title").replaceChildren(
    html("h2", {}, html("span", { class: "game-number" }, `Game ${shown.game + 1}`), ...players),
    html("p", {}, [outcomeOf(game), game.control, game.when, game.event].filter(Boolean).join(" · ")));
  byId("moves").replaceChildren(...moveRows(game));
  const index = listed.indexOf(shown.game);
  growList(index);
  for (const row of byId("game-rows").children) markRow(row);
  if (index >= 0) keepInView(byId("game-rows"), byId("game-rows").children[index]);
}

/** Describes the result of a game. */
function outcomeOf(game) {
  if (game.winner === null) return "Unfinished";
  const won = `${game[game.winner]} won`;
  return game.forfeit ? `${won} by forfeit: ${game.forfeit.text || game.forfeit.kind}` : won;
}

/** Returns the chart of the win rates that each player reported. */
function chart(game) {
  const series = SIDES.map((side) => {
    const points = ratesOf(game, side);
    const text = points.length > 0 ? `estimates by ${game[side]}` : `no estimates by ${game[side]}`;
    return { side, points, legend: [icon(side), html("span", { class: "name" }, text)] };
  });
  const label = "Black's win rate over the plies, as estimated by each player";
  return { plies: game.moves.length, series, label, empty: "The record of this game has no win rates." };
}

/** Returns the plies at which a side reported a win rate, with the rate for Black. */
function ratesOf(game, side) {
  const rates = game.moves.map((_, ply) => ({ ply: ply + 1, rate: blackRate(game, ply) }));
  return rates.filter(({ ply, rate }) => rate !== null && moverOf(game, ply - 1) === side);
}

function showPly(game) {
  board.draw(shown.game, boardAfter(game, shown.ply));
  curve.draw(game, shown.ply);
  byId("ply").textContent = `${shown.ply} / ${game.moves.length}`;
  byId("readout").textContent = readout(game, shown.ply);
  for (const id of ["to-start", "back"]) byId(id).disabled = shown.ply === 0;
  for (const id of ["forward", "to-end"]) byId(id).disabled = shown.ply === game.moves.length;
  const moves = byId("moves");
  moves.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const current = moves.querySelector(`[data-ply="${shown.ply}"]`);
  current?.setAttribute("aria-current", "true");
  keepInView(moves, current);
}

/** Describes the move that led to the position shown: player, win rate, time, effort. */
function readout(game, ply) {
  if (ply === 0) return `Start position; ${game[moverOf(game, 0)]} moves first`;
  const { move, seconds, effort, win_rate: rate } = game.moves[ply - 1];
  const parts = [`${game[moverOf(game, ply - 1)]}: ${move}`];
  if (rate != null) parts.push(`win rate ${percent(rate)}`);
  if (seconds) parts.push(duration(seconds));
  if (effort != null) parts.push(`effort ${effort.toLocaleString("en")}`);
  return parts.join(" · ");
}

/** Returns the rows of the move list, with a button for each of two moves. */
function moveRows(game) {
  const cells = game.moves.map(({ move, win_rate: rate }, index) => html("button", {
    type: "button",
    class: `move ${moverOf(game, index)}`,
    "data-ply": index + 1,
    onclick: () => show(shown.game, index + 1),
  }, html("span", {}, move), html("small", {}, rate == null ? "" : percent(rate, 0))));
  if (moverOf(game, 0) === "white") cells.unshift(html("span", { class: "move" }, "…"));
  const rows = [];
  for (let index = 0; index < cells.length; index += 2) {
    rows.push(html("li", {}, html("span", { class: "move-number" }, index / 2 + 1), ...cells.slice(index, index + 2)));
  }
  return rows;
}

function gameRow(number) {
  const game = GAMES[number];
  const line = (side) => html("span", { class: game.winner === side ? "player won" : "player" },
    icon(side), html("span", { class: "name" }, game[side]),
    html("span", { class: "point" }, game.winner === null ? "" : game.winner === side ? "1" : "0"));
  const button = html("button", { type: "button", onclick: () => show(number, 0) },
    html("span", { class: "game-number" }, number + 1),
    html("span", { class: "players" }, ...SIDES.map(line)),
    html("span", { class: "length" }, `${game.moves.length} plies`,
      game.forfeit ? html("span", { class: "badge", title: game.forfeit.text }, game.forfeit.kind) : null,
      game.winner === null ? html("span", { class: "badge" }, "unfinished") : null));
  const row = html("li", { "data-game": number }, button);
  markRow(row);
  return row;
}

function markRow(row) {
  const current = Number(row.dataset.game) === shown.game;
  if (current) row.firstElementChild.setAttribute("aria-current", "true");
  else row.firstElementChild.removeAttribute("aria-current");
}

/** Adds rows to the game list in steps, until it contains the row with this index. */
function growList(index) {
  const rows = byId("game-rows");
  while (rows.childElementCount <= index && rows.childElementCount < listed.length) {
    const from = rows.childElementCount;
    rows.append(...listed.slice(from, from + ROWS_AT_ONCE).map(gameRow));
  }
}

/** Lists the games that pass the filter. */
function showList() {
  const passes = (game) => (!filter.forfeits || game.forfeit) &&
    (!filter.pair || SIDES.every((side) => filter.pair.includes(game[side])));
  listed = GAMES.map((_, number) => number).filter((number) => passes(GAMES[number]));
  byId("list-title").textContent = count(listed.length, "game");
  byId("all-games").hidden = filter.pair === null;
  byId("all-games").textContent = filter.pair ? `${filter.pair.join(" – ")} ✕` : "";
  byId("game-rows").replaceChildren();
  byId("game-rows").scrollTop = 0;
  growList(0);
}

function choosePair(pair) {
  filter.pair = pair;
  showList();
  if (listed.length > 0) show(listed[0], 0);
  byId("games").scrollIntoView({ behavior: "smooth" });
}

/** Shows the game `by` rows below the current one in the list. */
function neighbour(by) {
  const index = listed.indexOf(shown.game) + by;
  if (index < 0 || index >= listed.length) return;
  show(listed[index], 0);
  byId("game-rows").children[index].firstElementChild.focus({ preventScroll: true });
}

/** Returns the action of a key, or undefined. */
function actionOf(event) {
  const steps = {
    ArrowLeft: () => show(shown.game, shown.ply - 1),
    ArrowRight: () => show(shown.game, shown.ply + 1),
    Home: () => show(shown.game, 0),
    End: () => show(shown.game, Infinity),
  };
  const games = { ArrowUp: () => neighbour(-1), ArrowDown: () => neighbour(1) };
  const inList = byId("game-rows").contains(event.target);
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return undefined;
  return steps[event.key] ?? (inList ? games[event.key] : undefined);
}

function listen() {
  document.addEventListener("keydown", (event) => {
    const action = actionOf(event);
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
  byId("to-start").addEventListener("click", () => show(shown.game, 0));
  byId("back").addEventListener("click", () => show(shown.game, shown.ply - 1));
  byId("forward").addEventListener("click", () => show(shown.game, shown.ply + 1));
  byId("to-end").addEventListener("click", () => show(shown.game, Infinity));
  byId("all-games").addEventListener("click", () => {
    filter.pair = null;
    showList();
  });
  byId("forfeits-only").addEventListener("change", (event) => {
    filter.forfeits = event.target.checked;
    showList();
  });
  byId("game-rows").addEventListener("scroll", ({ target }) => {
    const nearEnd = target.scrollTop + 2 * target.clientHeight > target.scrollHeight;
    if (nearEnd) growList(target.childElementCount);
  }, { passive: true });
  addEventListener("hashchange", showHash);
}

/** Shows the game and the ply in the address, such as `#game=3&ply=12`; both count from 0. */
function showHash() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  show(Number.parseInt(wanted.get("game"), 10) || 0, Number.parseInt(wanted.get("ply"), 10) || 0);
}

function showSummary() {
  const decided = GAMES.filter((game) => game.winner !== null);
  const forfeits = GAMES.filter((game) => game.forfeit).length;
  const plies = GAMES.reduce((total, game) => total + game.moves.length, 0);
  const black = decided.filter((game) => game.winner === "black").length;
  const parts = [count(GAMES.length, "game")];
  if (decided.length > 0) parts.push(`Black (moves first) won ${percent(black / decided.length)}`);
  if (GAMES.length > 0) parts.push(`${Math.round(plies / GAMES.length)} plies on average`);
  parts.push(forfeits ? count(forfeits, "forfeit") : "no forfeits");
  byId("title").textContent = DATA.title;
  document.title = `${DATA.title} – Otrera report`;
  byId("summary").textContent = parts.join(" · ");
  byId("forfeit-filter").hidden = forfeits === 0;
}

showSummary();
showStanding(DATA.standing, choosePair);
showList();
listen();
showHash();
