// The cross-table and the ratings.

/** Fills the cross-table and the ratings. A click on a cell calls `choosePair` with the names of its two players. */
function showStanding({ players, wins, anchored }, choosePair) {
  if (players.length < 2) return;
  byId("standing").hidden = false;
  byId("standing").classList.toggle("many", players.length > 4);
  byId("cross-table").append(tableHead(players), html("tbody", {},
    ...players.map((player, row) => tableRow(players, wins, row, choosePair))));
  byId("rating-plot").append(...ratingRows(players), ratingAxis(players));
  byId("rating-note").textContent =
    "Elo relative to the mean of all players, by maximum likelihood, with 95 % intervals." +
    (anchored ? " Wins and losses do not connect all players, so each player got one draw against an average player." : "");
}

function tableHead(players) {
  const columns = players.map((player, index) => html("th", { scope: "col", class: "number", title: player.name }, index + 1));
  return html("thead", {}, html("tr", {},
    html("th", { scope: "col", class: "rank" }, "#"),
    html("th", { scope: "col" }, "Player"),
    html("th", { scope: "col", class: "number games-played" }, "Games"),
    html("th", { scope: "col", class: "number" }, "Score"),
    ...columns));
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

function tableRow(players, wins, row, choosePair) {
  const won = sum(wins[row]);
  const games = won + sum(wins.map((others) => others[row]));
  const cells = players.map((_, column) => pairCell(players, wins, row, column, choosePair));
  return html("tr", {},
    html("td", { class: "rank" }, row + 1),
    html("th", { scope: "row", class: "player", title: players[row].name }, players[row].name),
    html("td", { class: "number games-played" }, games.toLocaleString("en")),
    html("td", { class: "number" }, games ? percent(won / games) : "–"),
    ...cells);
}

/** Returns the cell with the score of the row's player against the column's. */
function pairCell(players, wins, row, column, choosePair) {
  const [won, lost] = [wins[row][column], wins[column][row]];
  if (row === column) return html("td", { class: "self", "aria-label": "itself" });
  if (won + lost === 0) return html("td", { class: "number empty" }, "–");
  const share = won / (won + lost);
  const names = [players[row].name, players[column].name];
  const cell = html("button", {
    type: "button",
    class: share >= 0.5 ? "pair ahead" : "pair behind",
    title: `${names[0]} against ${names[1]}: ${percent(share)} of ${count(won + lost, "game")}`,
    onclick: () => choosePair(names),
  }, `${won}–${lost}`);
  cell.style.setProperty("--lead", `${Math.round(Math.abs(share - 0.5) * 90)}%`);
  return html("td", { class: "number" }, cell);
}

/** Returns the range of the rating axis, which contains all intervals, and the step between its marks. */
function ratingRange(players) {
  const low = Math.min(...players.map(({ elo, margin }) => elo - margin));
  const high = Math.max(...players.map(({ elo, margin }) => elo + margin));
  const step = [10, 20, 50, 100, 200, 500, 1000].find((size) => (high - low) / size <= 6) ?? 5000;
  return { low: Math.floor(low / step) * step, high: Math.ceil(high / step) * step, step };
}

function ratingRows(players) {
  const { low, high } = ratingRange(players);
  const place = (elo) => `${(100 * (elo - low)) / (high - low)}%`;
  return players.map(({ name, elo, margin }) => {
    const bar = html("span", { class: "bar" });
    bar.style.left = place(elo - margin);
    bar.style.right = `calc(100% - ${place(elo + margin)})`;
    const dot = html("span", { class: "point" });
    dot.style.left = place(elo);
    return html("div", { class: "rating" },
      html("span", { class: "player", title: name }, name),
      html("span", { class: "track" }, bar, dot),
      html("span", { class: "value" }, signed(elo), html("small", {}, ` ± ${Math.round(margin)}`)));
  });
}

function ratingAxis(players) {
  const { low, high, step } = ratingRange(players);
  const ticks = html("span", { class: "track" });
  for (let elo = low; elo <= high; elo += step) {
    const tick = html("span", { class: elo === 0 ? "tick zero" : "tick" }, html("span", {}, signed(elo)));
    tick.style.left = `${(100 * (elo - low)) / (high - low)}%`;
    ticks.append(tick);
  }
  return html("div", { class: "rating axis", "aria-hidden": "true" }, html("span"), ticks, html("span"));
}
