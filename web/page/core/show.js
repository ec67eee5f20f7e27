// Draws the state: board, grid, status, moves, curve.

import { byId, elementsWith, html, icon, keepInView, percent, SIDES, svg } from "shared/elements.js";
import { boardAfter, squaresOf } from "shared/replay.js";
import { Curve } from "shared/curve.js";
import { t } from "page/core/text.js";
import { state } from "page/core/state.js";
import { groundLegend, groundMarks } from "page/core/ground.js";
import { leadAt, leadText, signed } from "page/core/lead.js";
import { lineFrom, playedIn } from "page/core/tree.js";
import { Squares } from "page/core/squares.js";
import { replaceButtons, write } from "page/core/controls.js";
import { board } from "page/core/board.js";
import { areRatesHidden, room } from "page/core/current.js";
import { canMove, canResign, isEngineToMove, undoTarget } from "page/core/turn.js";
import { BETTER_MOVES, NAMED_LOSS, SIGNS, verdict } from "page/core/verdict.js";
import { drawReview } from "page/core/report.js";

/** Takes a square or a node of the line that somebody chooses. The game, which imports the drawing, sets both. */
export const chosen = {
  /** @type {(square: Square, dragged?: boolean) => unknown} */
  square: () => undefined,
  /** @type {(node: GameNode) => unknown} */
  node: () => undefined,
};
export const squares = new Squares(byId("squares"), board, {
  chosen: (square, dragged) => chosen.square(square, dragged),
  canDrag: () => room().accepts(state.tree.current),
  // A match has keys of its own.
  leavesEnter: () => !room().panel().steps && !room().accepts(state.tree.current),
});
export const curve = new Curve(byId("curve"), (ply) => chosen.node(state.tree.line()[ply]), chart);
// What appears below the list makes it smaller.
new ResizeObserver(keepMoveInView).observe(byId("moves"));
let gridKey = "";
/** The FEN in the field for FENs, unless somebody has edited the field. */
let fenShown = "";

export function draw() {
  const node = state.tree.current;
  const position = positionShown(node);
  drawTitle();
  board.draw(state.tree, state.preview ? positionShown(state.preview.parent) : position);
  drawGrid(position, node);
  drawSteps(node);
  drawRoom();
  drawReview();
  drawMoves();
  drawSearch();
  const status = [state.message, ...room().status(node)].flatMap((text) => (text ? sentence(text) : []));
  write("status", status.join(" "));
  drawComment(node);
  if (node.described && node.described.fen !== fenShown) {
    fenShown = node.described.fen;
    byId("fen").value = fenShown;
  }
}

/** Shows the sections of the current room and hides those of the others. */
function drawRoom() {
  document.body.dataset.mode = state.mode;
  for (const section of elementsWith("data-room")) section.hidden = !section.dataset.room?.split(" ").includes(state.mode);
  for (const way of elementsWith("data-goes")) {
    if (way.dataset.goes === state.mode) way.setAttribute("aria-current", "page");
    else way.removeAttribute("aria-current");
  }
  room().panel().draw();
}

/**
 * Shows the comment on the position, for editing.
 * @param {GameNode} node
 */
function drawComment({ note: { name, comment = "" } }) {
  byId("comment-label").textContent = t("comment", name);
  // Writes only a changed text, so that the cursor stays in place.
  if (byId("comment").value !== comment) byId("comment").value = comment;
}

/**
 * Returns a message with a full stop at its end.
 * @param {string} text
 */
function sentence(text) {
  return /[.:…。：！]$/.test(text) ? text : `${text}${t("fullStop")}`;
}

/** Shows the players and the other data of the record. */
function drawTitle() {
  const { record } = state.tree;
  const players = SIDES.map((side) => html("span", { class: "name" }, icon(side), ` ${record[side] || t(side)} `));
  byId("game-title").replaceChildren(...players, [record.event, record.control, record.when].filter(Boolean).join(" · "));
}

/**
 * Returns the board of a node, including the chosen amazon move at the current node.
 * @param {GameNode} node
 */
export function positionShown(node) {
  const { start } = state.tree;
  const moves = state.tree.movesTo(node).map((move) => ({ move }));
  const position = boardAfter({ start, moves }, moves.length);
  const { from, to } = node === state.tree.current ? state.half : {};
  if (from && to) {
    for (const amazon of position.amazons) if (amazon.square === from) amazon.square = to;
    position.last = { from, to };
  }
  return position;
}

/** Builds the grid anew at the next drawing, with the texts of another language. */
export function forgetGrid() {
  gridKey = "";
}

/**
 * @param {BoardPosition} given
 * @param {GameNode} node
 */
function drawGrid({ edge, amazons, arrows }, node) {
  const key = `${edge} ${board.flipped}`;
  if (key !== gridKey) squares.build(edge, board.flipped);
  gridKey = key;
  /** @type {Map<Square, Side | "arrow">} */
  const content = new Map();
  for (const { side, square } of amazons) content.set(square, side);
  for (const square of arrows) content.set(square, "arrow");
  const choices = choicesIn(node);
  const { from, to } = state.half;
  squares.describe((square) => {
    const can = choices.has(square);
    const label = `${square}: ${t("square")[content.get(square) ?? "empty"]}${can ? `, ${t("here")}` : ""}`;
    const isChosen = square === (to ?? from);
    const mark = to ? "target shot" : from ? "target" : "movable";
    return { label, mark: isChosen ? "chosen" : can ? mark : null };
  });
}

/**
 * Returns the squares that a person can choose now.
 * @param {GameNode} node
 */
function choicesIn(node) {
  if (!canMove(node)) return new Set();
  const { from, to } = state.half;
  const { moves } = node.described;
  if (!from) return new Set(Object.keys(moves));
  return new Set(to ? moves[from][to] : Object.keys(moves[from]));
}

/**
 * Draws the owners of squares below the pieces, and suggested moves as arrows above them.
 * @param {GameNode} node
 */
export function drawOverlay(node) {
  const what = room().panel().squares;
  const below = state.preview?.parent ?? node;
  const lost = state.preview || !verdict.isFault(node) ? [] : node.reason?.lost ?? [];
  board.under.replaceChildren(...(state.half.to ? [] : groundMarks(below, what, lost)));
  byId("squares-shown").value = what;
  const legend = groundLegend(below, what);
  byId("squares-legend").hidden = legend === "";
  byId("squares-legend").textContent = legend;
  const moves = room().arrows(node);
  // The first move is drawn on top.
  const arrows = moves.toReversed().flatMap(({ move, side, step, look = "" }, index) => {
    const name = `suggestion ${side} rank-${moves.length - index} ${look}`;
    return partsOf(move, step, name);
  });
  const signs = (room().panel().signs ?? []).map(verdictSign);
  board.over.replaceChildren(...arrows, ...moves.flatMap(moveNumber), ...moveRates(moves), ...signs);
}

/**
 * Returns the SVG elements of a move up to a step of the hint (1 to 3); without a step, of the whole move.
 * @param {Move} move
 * @param {number | undefined} step
 * @param {string} look
 */
function partsOf(move, step, look) {
  const { from, to, arrow } = squaresOf(move);
  if (step === 1) return [board.cell(from, `${look} here`, 0.6)];
  return board.course({ from, to, arrow: step === 2 ? null : arrow }, look, `${look} shot`);
}

/**
 * Returns tags with the rates of the best moves, on the landing square or, if that is taken, the arrow's square.
 * @param {Suggestion[]} moves
 */
function moveRates(moves) {
  /** @type {Map<Square, { side: Side, rate: number }>} */
  const rates = new Map();
  for (const { move, side, rate } of moves) {
    const { to, arrow } = squaresOf(move);
    const square = [to, arrow].find((one) => !rates.has(one));
    if (rate !== undefined && square) rates.set(square, { side, rate });
  }
  return [...rates].map(([square, { side, rate }]) => {
    const [x, y] = board.centre(square);
    const box = svg("rect", { x: x - 4.4, y: y - 2.1, width: 8.8, height: 4.2, rx: 1 });
    return svg("g", { class: `board-tag ${side}` }, box, svg("text", { x, y: y + 1.1 }, (100 * rate).toFixed(1)));
  });
}

/**
 * Returns a tick or a cross at the corner of a square.
 * @param {{ square: Square, isRight: boolean }} given
 */
function verdictSign({ square, isRight }) {
  const [left, top] = board.centre(square);
  const [x, y] = [left + 3.2, top - 3.2];
  const d = isRight ? `M${x - 1.1} ${y + 0.1}l0.8 0.9 1.5-1.9` : `M${x - 0.9} ${y - 0.9}l1.8 1.8m0-1.8l-1.8 1.8`;
  return svg("g", { class: `verdict ${isRight ? "right" : "wrong"}` }, svg("circle", { cx: x, cy: y, r: 2.2 }), svg("path", { d }));
}

/**
 * Returns a tag with a move's number in its line, on the landing square; nothing for a move without a number.
 * @param {Suggestion} given
 */
function moveNumber({ move, side, number }) {
  if (!number) return [];
  const [x, y] = board.centre(squaresOf(move).to);
  return svg("g", { class: `board-tag ${side}` }, svg("circle", { cx: x - 2.4, cy: y - 2.4, r: 2.1 }), svg("text", { x: x - 2.4, y: y - 1.3 }, number));
}

/**
 * Returns the moves to draw as arrows, by priority: previewed line, hint, line of the best move under the pointer, best
 * moves of the analysis, better move of the review.
 * @param {GameNode} node
 * @returns {Suggestion[]}
 */
export function usualArrows(node) {
  const { ply } = node;
  const lines = state.found?.lines ?? [];
  const side = state.tree.moverOf(ply);
  if (state.preview) return verdict.arrows(node);
  if (state.hint) return [{ ...state.hint, side }];
  if (state.half.from || areMovesHidden()) return [];
  const pointed = state.pointed === null ? undefined : lines[state.pointed];
  if (pointed) {
    const course = [pointed.move, ...pointed.continuation].slice(0, BETTER_MOVES);
    return course.map((move, index) => ({ move, side: state.tree.moverOf(ply + index), number: index + 1 }));
  }
  return state.analysing ? lines.slice(0, Math.min(3, shownLines())).map(({ move, win_rate: rate }) => ({ move, side, rate })) : verdict.arrows(node);
}

/** Returns the number of best moves to show, as chosen on the page. */
function shownLines() {
  return Number(byId("lines").value);
}

/**
 * Returns a text about the turn: who moves, what to choose, who has won.
 * @param {GameNode} node
 */
export function turnText(node) {
  const { from, to } = state.half;
  if (!node.described) return "";
  const { side } = node.described;
  const winner = node.described.winner ?? (node.next ? null : node.winner);
  if (winner) return t("won", t(winner));
  if (isEngineToMove(node)) return t("thinking");
  if (to) return t("chooseArrow", to);
  return from ? t("chooseLanding", from) : t("toMove", t(side));
}

/** @param {GameNode} node */
function drawSteps(node) {
  const line = state.tree.line();
  byId("ply").textContent = `${node.ply} / ${line.length - 1}`;
  for (const button of [byId("to-start"), byId("back")]) button.disabled = !node.parent;
  byId("undo").disabled = !undoTarget();
  for (const button of [byId("forward"), byId("to-end")]) button.disabled = !node.next;
  byId("hint").disabled = !canMove(node);
  byId("play-here").disabled = !node.described || Boolean(node.described.winner);
  byId("resign").disabled = !canResign(node);
}

/** Draws the moves of the line in pairs, with the alternatives to each move below it. */
export function drawMoves() {
  const line = state.tree.line();
  const rows = Map.groupBy(playedIn(line), ({ ply }) => state.tree.rowOf(ply));
  const items = [...rows].map(([number, nodes]) => {
    /** @type {HTMLElement[]} */
    const cells = nodes.map((node) => moveButton(node));
    // If White moved first, Black's place in the first row is empty.
    if (number === 1 && state.tree.first === "white") cells.unshift(html("span", { class: "move" }, "…"));
    return html("li", {}, html("span", { class: "move-number" }, number), ...cells, ...nodes.flatMap((node) => [...betterButton(node), ...variations(node)]));
  });
  replaceButtons(byId("moves"), items);
  byId("moves").dataset.empty = t("movesEmpty");
  keepMoveInView();
}

/** Scrolls the list to the move shown. */
function keepMoveInView() {
  keepInView(byId("moves"), byId("moves").querySelector("[aria-current]"));
}

/** @param {PlayedNode} node */
function moveButton(node) {
  const { move, rate } = node;
  return html("button", {
    type: "button",
    class: "move",
    "data-ply": node.ply,
    disabled: !room().panel().steps,
    "aria-current": node === state.tree.current && "true",
    onclick: () => chosen.node(node),
  }, html("span", {}, move, " ", sign(node) ?? ""), html("small", { class: "spoils" }, rate === null ? "" : leadOrRate(node)));
}

/**
 * Returns the element with a move's sign in the list, or null.
 * @param {GameNode} node
 */
function sign(node) {
  const mark = verdict.markOf(node) ?? (areRatesHidden() ? null : node.note.mark);
  if (!mark || !SIGNS[mark]) return null;
  const label = t("marks")[mark];
  return html("span", { class: `sign ${mark}`, role: "img", "aria-label": label, title: label }, SIGNS[mark]);
}

/**
 * Returns the button with the better move below a fault in the list. It shows the position before the fault.
 * @param {GameNode} node
 */
function betterButton(node) {
  if (!verdict.isFault(node)) return [];
  const text = `${t("better")}: ${node.parent.found?.best} (−${verdict.leadLossOf(node) < NAMED_LOSS ? verdict.lossText(node) : t("movesLost", verdict.leadLossOf(node).toFixed(1))})`;
  const attributes = { type: "button", class: "variation", "data-better": node.ply, onclick: () => chosen.node(node.parent) };
  return [html("button", attributes, text)];
}

/**
 * Returns Black's lead after a move for the list; without one, Black's win rate.
 * @param {PlayedNode} node
 */
function leadOrRate(node) {
  const lead = leadAt(node);
  return lead && !lead.isCounted ? signed(lead.lead) : percent(node.rate ?? 0, 0);
}

/** @param {PlayedNode} node */
function variations(node) {
  const main = new Set(state.tree.mainLine());
  const others = node.parent.children.filter((child) => child !== node);
  return others.map((other) => html("button", { type: "button", class: "variation", onclick: () => chosen.node(other) },
    `${t(main.has(other) ? "mainLine" : "variation")}: ${lineFrom(other).slice(0, 4).map(({ move }) => move).join(" ")}`,
    other.note.comment ? ` · ${other.note.comment}` : ""));
}

/** Draws the search results: win rate, speed, best moves, curve. */
export function drawSearch() {
  const { current } = state.tree;
  drawRate(current);
  byId("analyse").textContent = t(state.analysing ? "stop" : "go");
  byId("analyse").setAttribute("aria-pressed", String(state.analysing));
  byId("analyse").disabled = areRatesHidden();
  byId("analyse").title = areRatesHidden() ? t("ratesHidden") : "";
  document.body.classList.toggle("rates-hidden", areRatesHidden());
  document.body.classList.toggle("analysing", state.analysing);
  const found = areMovesHidden() ? null : state.found;
  byId("running").textContent = runningText(found);
  drawBestMoves((found?.lines ?? []).slice(0, shownLines()));
  drawOverlay(current);
  curve.draw({}, current.ply);
}

/** True if the best moves are hidden. */
function areMovesHidden() {
  return !room().panel().moves;
}

/**
 * Returns a text with visits, depth and speed of a search, or with the reason why they are hidden.
 * @param {Found | null} found
 */
function runningText(found) {
  if (areRatesHidden()) return t("ratesHidden");
  if (areMovesHidden()) return t("movesHidden");
  if (found?.isSaved) return t("savedAnalysis", found.visits);
  return found ? t("running", { ...found, speed: found.iterations / Math.max(found.seconds, 1e-3) }) : "";
}

/**
 * Draws the bar of Black's win rate, empty if the rate is unknown. Rate and lead lie on the larger part of the bar.
 * @param {GameNode} node
 */
function drawRate(node) {
  const { rate, proof, described } = node;
  const bar = byId("rate");
  const outcome = described?.winner ? t("won", t(described.winner)) : proof && t("proven", t(proof.winner), proof.margin);
  const lead = leadAt(node);
  const leader = rate !== null && rate < 0.5 ? "white" : "black";
  const share = leader === "black" ? rate ?? 0 : 1 - (rate ?? 0);
  const own = lead && signed(leader === "black" ? lead.lead : -lead.lead) + (lead.isCounted ? t("counted") : "");
  // The leader's part of the bar holds the text.
  const known = own ? `${own} · ${percent(share, 0)}` : percent(share);
  const text = outcome ?? (rate === null ? "" : known);
  bar.className = `rate spoils ${rate === null ? "unknown" : rate < 0.5 ? "low" : "high"}`;
  bar.setAttribute("aria-label", [t("rateNow", rate === null ? t("unknown") : outcome ?? percent(rate)), lead && leadText(lead)].filter(Boolean).join(", "));
  for (const number of bar.querySelectorAll(".number")) number.textContent = text;
  bar.style.setProperty("--share", String(rate ?? 0));
}

/**
 * Refills the rows of best moves. Keeps their elements, since a press can last longer than a slice of the search.
 * @param {FoundLine[]} lines
 */
function drawBestMoves(lines) {
  const { rows } = byId("best-moves").tBodies[0];
  // Reserves room for all rows, so that the layout stays when rows come and go.
  byId("best-moves").parentElement?.style.setProperty("--lines", String(shownLines()));
  while (rows.length > lines.length) rows[rows.length - 1].remove();
  while (rows.length < lines.length) {
    const button = html("button", { type: "button", class: "best" });
    byId("best-moves").tBodies[0].append(html("tr", {}, html("td"), html("td"), html("td"), html("td", {}, button, html("span"))));
  }
  lines.forEach((line, index) => fillBestMove(rows[index].cells, line));
}

/**
 * Fills the cells of a row with a line.
 * @param {HTMLCollectionOf<HTMLTableCellElement>} cells
 * @param {FoundLine} line
 */
function fillBestMove([rateCell, leadCell, visitsCell, moveCell], { move, win_rate: rate, lead, visits, proven, continuation }) {
  rateCell.textContent = percent(rate);
  leadCell.textContent = lead == null ? "–" : signed(lead);
  visitsCell.textContent = visits.toLocaleString("en");
  const [moveButton, rest] = moveCell.children;
  moveButton.textContent = move;
  // In a proven position all moves are proven, so the continuation says more.
  const isNews = proven && (!state.found?.proven || continuation.length === 0);
  const expected = isNews ? [t("proven", t(proven), null)] : continuation;
  rest.textContent = ` ${expected.join(" ")}`;
  moveCell.title = expected.join(" ");
}

/**
 * Returns the data of the curve: Black's win rate along the line, by Otrera and, from a record, by each player.
 * @returns {Chart}
 */
export function chart() {
  const line = areRatesHidden() ? [] : state.tree.line();
  const players = playerSeries(line);
  const points = line.flatMap((node) => {
    const { ply, rate, proof } = node;
    if (rate === null || (players.length > 0 && isOwnEstimate(node))) return [];
    const mark = verdict.isFault(node) ? verdict.markOf(node) : null;
    return { ply, rate, proven: Boolean(proof), mark };
  });
  const legend = players.length > 0 ? [html("span", {}, t("curvePlayer", t("engine")))] : [icon("black"), html("span", {}, t("curve"))];
  const proof = line.map(proofLabel).find((label) => label !== null);
  if (points.some(({ proven }) => proven)) {
    const text = `□ ${proof ?? t("provenLegend")}`;
    legend.push(html("span", { class: "proof", title: text }, text));
  }
  const bars = room().panel().bars ? verdict.bars(line) : [];
  if (bars.length > 0) legend.push(html("span", {}, t("lossBars")));
  const leads = leadSeries(line);
  const series = [...players, { side: players.length > 0 ? "otrera" : "black", points, legend }];
  return { plies: line.length - 1, label: t("curve"), empty: t(areRatesHidden() ? "ratesHidden" : "curveEmpty"), series, bars, leads };
}

/**
 * Returns Black's leads along the line, or null.
 * @param {GameNode[]} line
 */
function leadSeries(line) {
  const known = line.flatMap((node) => {
    const lead = leadAt(node);
    return lead ? { ply: node.ply, ...lead } : [];
  });
  if (known.length === 0) return null;
  const isCounted = known.some((point) => point.isCounted);
  return { points: known, legend: [html("span", {}, t(isCounted ? "countedLegend" : "leadLegend"))] };
}

/**
 * True if a position's rate is only its player's estimate: not searched, not proven, not a value in the record.
 * @param {GameNode} node
 */
function isOwnEstimate({ visits, note }) {
  return visits === 0 && note.value == null;
}

/**
 * Returns a series of each player's estimates; empty if the record has none.
 * @param {GameNode[]} line
 * @returns {Series[]}
 */
function playerSeries(line) {
  const { tree } = state;
  if (!tree.end) return [];
  const told = playedIn(line).flatMap(({ ply, played: { win_rate: rate } }) => {
    const side = tree.moverOf(ply - 1);
    return rate == null ? [] : { side, point: { ply, rate: side === "black" ? rate : 1 - rate } };
  });
  if (told.length === 0) return [];
  return SIDES.flatMap((side) => {
    const points = told.filter((one) => one.side === side).map(({ point }) => point);
    const text = t("curvePlayer", tree.record[side] || t(side));
    return points.length > 0 ? [{ side, points, legend: [icon(side), html("span", { class: "name" }, text)] }] : [];
  });
}

/**
 * Returns the label of the node at which the line becomes proven to its end, with the largest margin; else null.
 * @param {GameNode} node
 */
function proofLabel(node) {
  const winner = node.proof?.winner;
  if (!winner || node.parent?.proof?.winner === winner) return null;
  const rest = lineFrom(node);
  if (rest.some(({ proof }) => proof?.winner !== winner)) return null;
  const margins = rest.flatMap(({ proof }) => proof?.margin ?? []);
  return t("proven", t(winner), margins.length > 0 ? Math.max(...margins) : null);
}
