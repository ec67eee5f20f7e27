// Match: only in `otrera gui`: an operator relays the moves between the board of the match and Otrera.

import { byId, html, opponentOf, SIDES, targetOf } from "shared/elements.js";
import { placeOf, squaresOf, startOf } from "shared/replay.js";
import { messageOf, problemText, settings, t } from "page/core/text.js";
import { server, Stopped } from "page/core/engine.js";
import { engine, state } from "page/core/state.js";
import { endOf, GameTree } from "page/core/tree.js";
import { sound } from "page/core/sound.js";
import { NEW_EDGES } from "page/core/strength.js";
import { ask, choices, clockText, options, write } from "page/core/controls.js";
import { board } from "page/core/board.js";
import { Room } from "page/core/room.js";
import {
  interrupt, localTime, search, setHalf, settle, setTree, setTreeToLookAt, tell, unlessStopped,
} from "page/core/game.js";
import { draw } from "page/core/show.js";
import { readers } from "page/core/records.js";

/** Milliseconds between two updates of the clocks. */
const CLOCK_TICK = 200;
/** Milliseconds before a failed save or search is repeated. */
const MATCH_RETRY = 3000;
/** Seconds of a day. */
const DAY = 86_400;
/** Minimum number of our moves before the operator's measured time counts. */
const MIN_HANDLED = 3;

/** Keys in match mode: key, method, text key. */
/** @type {[string, MatchAction, PlainKey][]} */
const MATCH_KEYS = [
  ["Enter", "confirm", "matchConfirm"],
  ["Escape", "revise", "matchRevise"],
  ["P", "played", "matchPlayed"],
  ["E", "typeMove", "matchType"],
  ["C", "askClock", "matchSetClock"],
  ["B", "askBack", "matchBack"],
  ["H", "pause", "matchPause"],
  ["O", "enterOurs", "matchEnterOurs"],
];

/**
 * Parses a time like 14:05 as seconds; null for any other text.
 * @param {string} text
 */
export function secondsOfClock(text) {
  const parts = text.trim().match(/^(\d{1,4})[:：]([0-5]\d)$/);
  return parts && 60 * Number(parts[1]) + Number(parts[2]);
}

/**
 * Formats a move in SAU notation, DJ DD GD: columns from the left, rows from the top.
 * @param {Move} move
 * @param {number} edge
 */
function sauMove(move, edge) {
  const letters = Object.values(squaresOf(move)).map(placeOf).map(([column, row]) => String.fromCharCode(65 + column, 64 + edge - row));
  return letters.join(" ");
}

/**
 * Returns the state of a match that is saved with its game.
 * @param {MatchState} given
 */
function matchState({ us, minutes, overhead, handled, pondering, clocks, since, spent, paused, over, decided }) {
  return { us, minutes, overhead, handled, pondering, clocks, since, spent, paused, over, decided };
}

/**
 * True if a saved match is not from another day: its clock still runs, or it was saved less than a day ago.
 * @param {MatchState} given
 */
function isCurrent({ since, paused, clocks }) {
  const away = (Date.now() - since) / 1000;
  return away >= 0 && away < (paused ? DAY : Math.min(DAY, Math.max(clocks.black, clocks.white)));
}

class Match extends Room {
  /**
   * The game tree of the last match; null before the first one.
   * @type {GameTree}
   */
  tree = /** @type {never} */ (null);
  /**
   * Our side.
   * @type {Side}
   */
  us = "black";
  /** Minutes for each side, and the expected seconds that our move costs besides thinking. */
  minutes = 0;
  overhead = 0;
  /** Number and seconds of our moves on the board of the match. */
  handled = { moves: 0, seconds: 0 };
  pondering = false;
  /** Seconds left for each side at the time `since`, which is in milliseconds since 1970. */
  clocks = { black: 0, white: 0 };
  since = 0;
  /** Seconds that the side to move had used for its move at the time `since`. */
  spent = 0;
  paused = false;
  over = false;
  /**
   * Our announced move; null before it is found and after it is played.
   * @type {Decision | null}
   */
  decided = null;
  /**
   * Time of the announcement, in milliseconds since 1970, or null.
   * @type {number | null}
   */
  decidedAt = null;
  /**
   * The entered move that waits for confirmation, or null.
   * @type {Move | null}
   */
  entered = null;
  /** True while the operator enters a move for our side. */
  byHand = false;
  /**
   * The match's file; `takesOver` is true until the first save of a resumed match. Null before the first match.
   * @type {MatchFile}
   */
  file = /** @type {never} */ (null);
  /** Identifies this page in the file of a match. */
  writer = "";
  saving = Promise.resolve();
  /** Time of the last attempt to save. */
  triedAt = 0;
  /** @type {string | null} */
  saveProblem = null;
  /** @type {string | null} */
  searchProblem = null;
  /**
   * Matches that can be resumed.
   * @type {MatchOffer[]}
   */
  offers = [];
  /**
   * The choices in the dialog for a new match, preset to those of the last match.
   * @type {{ us: Side, edge: number }}
   */
  asked = { us: "black", edge: 10 };

  get mover() {
    return this.tree.moverOf(this.tree.current.ply);
  }

  /** @returns {Phase} */
  get phase() {
    if (this.over) return "over";
    if (this.paused) return "paused";
    if (this.entered) return "entered";
    if (this.byHand || this.mover !== this.us) return "entry";
    return this.decided ? "announced" : "thinking";
  }

  /**
   * Moves are entered to be confirmed, and only when one is wanted.
   * @param {GameNode} node
   * @param {Attempt} [given]
   */
  accepts(node, { move } = {}) {
    if (move !== undefined) this.enter(move);
    return move === undefined && this.phase === "entry";
  }

  /** @param {GameNode} node */
  status(node) {
    return this.phase === "entry" ? super.status(node) : [];
  }

  /** @param {GameNode} node */
  arrows({ ply }) {
    const move = this.moveShown();
    return move ? [{ move, side: this.tree.moverOf(ply) }] : [];
  }

  panel() {
    return { ...super.panel(), review: false, leaves: this.over, steps: false };
  }

  /** The side whose clock runs, or null. */
  get running() {
    return this.over || this.paused ? null : this.mover;
  }

  /**
   * Returns the seconds left on a side's clock now.
   * @param {Side} side
   */
  left(side) {
    return this.clocks[side] - (side === this.running ? (Date.now() - this.since) / 1000 : 0);
  }

  /** Charges the elapsed time to the running clock. Must be called before every change of the match. */
  charge() {
    const { running } = this;
    if (running) {
      const used = (Date.now() - this.since) / 1000;
      this.clocks[running] -= used;
      this.spent += used;
    }
    this.since = Date.now();
  }

  async begin() {
    const { us, edge } = this.asked;
    /** @param {"minutes" | "name" | "opponent" | "event" | "overhead"} id */
    const field = (id) => byId(`match-${id}`).value.trim();
    const minutes = Number(field("minutes"));
    const names = us === "black" ? [field("name"), field("opponent")] : [field("opponent"), field("name")];
    const goesOn = interrupt();
    await unlessStopped(goesOn, async () => {
      const { fen } = await engine.ask({ do: "start", edge });
      if (!goesOn()) return;
      const record = { black: names[0], white: names[1], event: field("event"), when: localTime(), control: t("matchControl", minutes) };
      this.open(new GameTree(fen, record), {
        us, minutes, overhead: Number(field("overhead")), handled: { moves: 0, seconds: 0 }, pondering: byId("match-pondering").checked,
        clocks: { black: 60 * minutes, white: 60 * minutes }, since: Date.now(), spent: 0, paused: false, over: false, decided: null,
      }, { id: null, name: null, takesOver: false });
    });
  }

  /**
   * Shows a match and continues it.
   * @param {GameTree} tree
   * @param {MatchState} kept
   * @param {MatchFile} file
   */
  open(tree, kept, file) {
    Object.assign(this, kept, { tree, file, entered: null, byHand: false, decidedAt: null, saveProblem: null, searchProblem: null });
    this.writer ||= crypto.randomUUID();
    Object.assign(state, { analysing: false, found: null });
    board.flip(this.us === "white");
    this.startTimer();
    this.setPlayers();
    setTree("match", tree);
    this.save();
    byId("match-task").focus({ preventScroll: true });
  }

  startTimer() {
    clearInterval(this.timer);
    this.timer = setInterval(() => this.tick(), CLOCK_TICK);
  }

  setPlayers() {
    const ours = this.byHand || this.over ? "human" : "engine";
    state.players = { black: "human", white: "human", [this.us]: ours };
  }

  /**
   * Applies a change, lets the engine continue, and saves the match.
   * @param {Partial<Match>} change
   */
  go(change) {
    Object.assign(this, { searchProblem: null }, change);
    state.half = {};
    this.setPlayers();
    settle();
    this.save();
  }

  /**
   * Ends the match if the game is over; otherwise lets the engine think or ponder.
   * @param {DescribedNode} node
   * @param {GoesOn} goesOn
   */
  async answer(node, goesOn) {
    if (node.described.winner && !this.over) {
      this.charge();
      this.go({ over: true });
    } else if (this.phase === "thinking") {
      await this.search(() => this.think(node, goesOn), goesOn);
    } else if (this.pondering && this.mover !== this.us && !this.over && !this.paused) {
      await this.search(() => search(node, { seconds: Infinity }, goesOn), goesOn);
    }
  }

  /**
   * Runs a search. Shows a failure and repeats the search after a pause.
   * @param {() => Promise<unknown>} work
   * @param {GoesOn} goesOn
   */
  async search(work, goesOn) {
    try {
      await work();
    } catch (error) {
      if (!goesOn() || error instanceof Stopped) return;
      state.uninterruptible = false;
      this.searchProblem = error instanceof TypeError ? t("matchNoProgram") : messageOf(error);
      draw();
      setTimeout(() => goesOn() && settle(), MATCH_RETRY);
    }
  }

  /**
   * @param {DescribedNode} node
   * @param {GoesOn} goesOn
   */
  async think(node, goesOn) {
    state.uninterruptible = true;
    const { tree, minutes } = this;
    const clock = { left: Math.max(0, this.left(this.us)), total: 60 * minutes, overhead: this.handling() };
    const found = await engine.ask({ do: "think", fen: tree.start, moves: tree.movesTo(node), clock });
    if (!goesOn()) return;
    state.uninterruptible = false;
    this.searchProblem = null;
    if (!found.best) return;
    this.decided = { move: found.best, win_rate: found.win_rate, effort: found.visits };
    this.decidedAt = Date.now();
    this.save();
    draw();
    sound.knock();
  }

  /** Returns the seconds that our move costs besides thinking: the expected overhead or a longer measured mean. */
  handling() {
    const { moves, seconds } = this.handled;
    return moves < MIN_HANDLED ? this.overhead : Math.max(this.overhead, seconds / moves);
  }

  /**
   * Enters a move from the board or the keyboard, to be confirmed.
   * @param {Move} move
   */
  enter(move) {
    if (this.phase !== "entry") return;
    this.entered = move;
    state.half = {};
    tell(null);
    byId("match-task").focus({ preventScroll: true });
  }

  confirm() {
    if (this.entered && this.phase === "entered") this.advance({ move: this.entered });
  }

  /** Cancels an entered move or the part of one, or ends the entry of our move in favour of Otrera's. */
  revise() {
    if (this.phase === "entered" || state.half.from) {
      this.entered = null;
      setHalf({});
    } else if (this.byHand) {
      this.charge();
      this.go({ byHand: false });
    }
  }

  /** Records that our move has been made on the board of the match. */
  played() {
    if (this.phase !== "announced" || !this.decided) return;
    if (this.decidedAt) {
      const { moves, seconds } = this.handled;
      this.handled = { moves: moves + 1, seconds: seconds + (Date.now() - this.decidedAt) / 1000 };
    }
    this.advance(this.decided);
  }

  /** @param {Decision} given */
  advance({ move, ...told }) {
    this.charge();
    const node = this.tree.play(move);
    node.played = { ...told, seconds: Math.round(this.spent * 1000) / 1000 };
    this.go({ entered: null, decided: null, decidedAt: null, byHand: false, spent: 0 });
  }

  enterOurs() {
    if (!["thinking", "announced"].includes(this.phase)) return;
    this.charge();
    this.go({ byHand: true });
  }

  pause() {
    if (this.over) return;
    this.charge();
    this.go({ paused: !this.paused });
  }

  /**
   * Takes back the last move. Our move is announced again; the opponent's must be entered again.
   * @param {string} reason
   */
  takeBack(reason) {
    const { parent, move, played } = this.tree.current;
    if (!parent) return;
    this.charge();
    // A match that was over can have been left.
    this.startTimer();
    const isOurs = this.tree.moverOf(parent.ply) === this.us;
    this.comment(parent, t("matchTakenBack", move, reason));
    this.tree.show(parent);
    parent.next = null;
    const { seconds: spent = 0, ...told } = played;
    this.go({ entered: null, byHand: false, over: false, spent, decided: isOurs ? { move, ...told } : null, decidedAt: null });
  }

  /**
   * @param {GameNode} node
   * @param {string} text
   */
  comment({ note }, text) {
    note.comment = [note.comment, text].filter(Boolean).join("\n");
  }

  /**
   * @param {Side} side
   * @param {string} text
   */
  setClock(side, text) {
    const seconds = secondsOfClock(text);
    byId("match-clock").setCustomValidity(seconds === null ? t("matchClockForm") : "");
    if (!byId("match-clock").reportValidity() || seconds === null) return;
    this.charge();
    this.clocks[side] = seconds;
    byId("match-clock").value = "";
    byId("match-task").focus({ preventScroll: true });
    // Restarts a running search with the new time.
    if (this.phase === "thinking") this.go({});
    else this.save();
    draw();
  }

  /**
   * Ends the match by the referee's decision.
   * @param {string} winner
   * @param {string} reason
   */
  end(winner, reason) {
    this.charge();
    this.tree.current.winner = SIDES.find((side) => side === winner) ?? null;
    if (reason) this.comment(this.tree.current, reason);
    this.go({ over: true, entered: null, byHand: false });
  }

  typeMove() {
    if (this.phase === "entry") byId("typed-move").focus();
  }

  askClock() {
    byId("match-clock").select();
  }

  askBack() {
    if (!this.tree.current.parent) return;
    byId("match-reason").value = "";
    byId("match-back-what").textContent = this.tree.current.move ?? "";
    ask("match-back-dialog");
  }

  /** Leaves match mode, for analysis after the match or for another game. */
  leave() {
    clearInterval(this.timer);
    this.offer();
  }

  tick() {
    if (!this.active) {
      this.leave();
      return;
    }
    this.drawClocks();
    if (this.saveProblem && Date.now() - this.triedAt > MATCH_RETRY) this.save();
  }

  /** Sends the whole match to the server, after all earlier saves. */
  save() {
    const { file, writer } = this;
    const body = JSON.stringify({ writer, game: this.tree.toRecord(), state: matchState(this) });
    this.triedAt = Date.now();
    this.saving = this.saving.then(() => this.send(file, body));
  }

  /**
   * @param {MatchFile} file
   * @param {string} body
   */
  async send(file, body) {
    let problem = null;
    try {
      const { id, takesOver } = file;
      const whole = { ...JSON.parse(body), id, takes_over: takesOver };
      const response = await fetch("save", { method: "POST", body: JSON.stringify(whole) });
      const answer = response.ok ? await response.json() : { problem: await response.text() };
      if (answer.problem === undefined) Object.assign(file, { id: answer.id, name: answer.file, takesOver: false, at: new Date() });
      if (answer.id) settings.set("match", answer.id, "session");
      else problem = problemText(answer.problem);
    } catch {
      problem = t("matchNoProgram");
    }
    if (file !== this.file) return;
    this.saveProblem = problem;
    this.draw();
  }

  /**
   * Parses a saved match file. Returns the match, or null if the text contains none or the page has no server.
   * @param {string} text
   */
  readFile(text) {
    if (!text.startsWith("{")) return null;
    try {
      return JSON.parse(text).match ?? null;
    } catch {
      return null;
    }
  }

  /**
   * Resumes the match if the text is a saved match file. Returns false if it is none.
   * @param {string} text
   */
  takes(text) {
    const isMatch = this.readFile(text) !== null;
    if (isMatch) this.resume(text);
    return isMatch;
  }

  /** Asks for a new match, unless one can be resumed. */
  async visit() {
    await this.offered;
    if (server && !this.active && this.offers.length === 0) ask("match-dialog");
  }

  /**
   * Resumes the match in the text of a saved file.
   * @param {string} text
   */
  async resume(text) {
    const goesOn = interrupt();
    try {
      const { games, warnings } = await engine.ask({ do: "read", text });
      if (warnings.length > 0) throw new Error(problemText(warnings[0]));
      const { id, state: kept } = this.readFile(text);
      const { us, minutes, overhead, since, spent, handled, clocks, decided } = kept;
      const numbers = [minutes, overhead, since, spent, handled?.moves, handled?.seconds, ...SIDES.map((side) => clocks?.[side])];
      if (!SIDES.includes(us) || !numbers.every(Number.isFinite)) throw new Error(t("matchBroken"));
      const tree = GameTree.ofRecord(games[0]);
      const end = endOf(tree.mainLine());
      tree.show(end);
      // An announced move must be legal, too.
      await engine.ask({ do: "position", fen: tree.start, moves: [...tree.movesTo(end), decided?.move ?? []].flat() });
      if (!goesOn()) return;
      this.open(tree, this.kept(matchState(kept), tree), { id, name: null, takesOver: true });
    } catch (error) {
      if (goesOn() && !(error instanceof Stopped)) settle(t("unread", t("match"), messageOf(error)));
    }
  }

  /**
   * Returns the saved state. The clock has kept running; if it would have run out, pauses with the saved time.
   * @param {MatchState} kept
   * @param {GameTree} tree
   */
  kept(kept, tree) {
    const left = kept.clocks[tree.moverOf(tree.current.ply)];
    const away = (Date.now() - kept.since) / 1000;
    if (kept.paused || (away >= 0 && away < left)) return kept;
    return { ...kept, since: Date.now(), paused: true };
  }

  /** Asks the server for matches that can be resumed. */
  async offer() {
    try {
      const { matches } = await (await fetch("matches")).json();
      this.offers = matches.map((/** @type {{ text: string, held: boolean }} */ { text, held }) => ({ text, held, game: JSON.parse(text) }));
      this.drawOffers();
    } catch {
      // Without the program, no match can be resumed.
    }
  }

  /** Continues this tab's match, or a match of today that no page holds: after a reload or a new start of the program. */
  async reopen() {
    /** @param {MatchOffer} given */
    const isOwn = ({ game }) => game.match.id === settings.get("match", "session");
    const offer = this.offers.find(isOwn) ?? this.offers.find(({ held, game }) => !held && isCurrent(game.match.state));
    // A link in the address has priority.
    if (offer && !location.hash.startsWith("#fen")) await this.resume(offer.text);
  }

  drawOffers() {
    byId("match-offers").hidden = this.active || this.offers.length === 0;
    byId("match-offers").replaceChildren(...this.offers.map(({ text, game: { black, white, when, moves } }) => html("button", {
      type: "button", class: "main", onclick: () => this.resume(text),
    }, t("matchResume", `${black} – ${white}`, when, moves.length))));
  }

  draw() {
    const { phase } = this;
    this.drawOffers();
    byId("match-played").hidden = phase !== "announced";
    for (const button of [byId("match-confirm"), byId("match-revise")]) button.hidden = phase !== "entered";
    byId("match-close").hidden = phase !== "over";
    byId("match-ours").hidden = !["thinking", "announced"].includes(phase);
    byId("match-pause").textContent = t(this.paused ? "matchGoOn" : "matchPause");
    for (const button of [byId("match-pause"), byId("match-end")]) button.hidden = phase === "over";
    byId("match-back").disabled = !this.tree.current.parent;
    this.drawTask(phase);
    this.drawClocks();
    const problems = [this.searchProblem, this.saveProblem && t("matchNotSaved", this.saveProblem)];
    byId("match-problem").textContent = problems.filter(Boolean).join(" ");
    const { name, at } = this.file;
    byId("match-saved").textContent = name && at ? t("matchSaved", at.toLocaleTimeString("sv"), name) : "";
  }

  /** Returns the announced or entered move, or null. */
  moveShown() {
    const { phase } = this;
    return phase === "entered" ? this.entered : phase === "announced" ? this.decided?.move ?? null : null;
  }

  /** @param {Phase} phase */
  drawTask(phase) {
    const move = this.moveShown();
    const { ply, move: last } = this.tree.current;
    const { from, to, arrow } = move ? squaresOf(move) : { from: "", to: "", arrow: "" };
    const winner = this.tree.winner();
    /** @type {Record<Phase, () => string>} */
    const texts = {
      over: () => t("matchOver", winner && t(winner)),
      paused: () => t("matchPaused"),
      entered: () => t("matchEntered", t(this.mover), from, to, arrow),
      entry: () => (this.byHand ? t("matchEnterOurs") : t("matchEnter", t(this.mover))),
      announced: () => t("matchOurMove", from.toUpperCase(), to.toUpperCase(), arrow.toUpperCase()),
      thinking: () => t("thinking"),
    };
    write("match-task", texts[phase]());
    const { edge } = startOf(this.tree.start);
    byId("match-letters").textContent = move && edge === 10 ? `SAU: ${sauMove(move, edge)}` : "";
    byId("match-last").textContent = ply === 0 ? "" : t("matchLast", ply, t(this.tree.moverOf(ply - 1)), last);
  }

  drawClocks() {
    for (const side of SIDES) {
      const clock = byId(`match-time-${side}`);
      clock.textContent = clockText(this.left(side));
      clock.style.setProperty("--characters", String(clock.textContent.length));
      clock.parentElement?.classList.toggle("runs", side === this.running);
      byId(`match-who-${side}`).textContent = this.tree.record[side] || t(side);
    }
    byId("match-flag").hidden = this.over || this.left(this.us) > 0;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = targetOf(event);
    if (!this.active || event.repeat || event.ctrlKey || event.altKey || event.metaKey || target.closest("dialog, select")) return;
    const isField = target.closest("input");
    if (isField && event.key === "Escape") byId("match-task").focus();
    if (isField || (event.key === "Enter" && target.closest("button"))) return;
    // An input method for Chinese hides the letter, but not the key.
    const key = /^[a-z]$/i.test(event.key) ? event.key : event.code.match(/^Key(.)$/)?.[1] ?? event.key;
    const [, action] = MATCH_KEYS.find(([name]) => name.toLowerCase() === key.toLowerCase()) ?? [];
    if (!action) return;
    event.preventDefault();
    this[action]();
  }

  /** Fills in the texts that depend on the language, and the dialog for a new match. */
  translate() {
    byId("open-match").hidden = !server;
    if (!server) return;
    this.drawOffers();
    choices("match-side", "side", SIDES.map((side) => [side, t(side)]), this.asked.us, (side) => {
      this.asked.us = side;
    });
    choices("match-size", "edge", NEW_EDGES.toReversed().map((edge) => [edge, t("squaresOf", edge)]), this.asked.edge, (edge) => {
      this.asked.edge = edge;
    });
    options("match-clock-side", Object.entries(t("matchClockOf")), byId("match-clock-side").value || "ours");
    options("match-winner", [["", t("matchNoWinner")], ...SIDES.map((side) => /** @type {[string, string]} */ ([side, t("won", t(side))]))], "");
    byId("match-keys").replaceChildren(...MATCH_KEYS.map(([key, , text]) => html("li", {}, html("kbd", {}, key === "Escape" ? "Esc" : key), ` ${t(text)}`)));
  }

  listen() {
    if (!server) return;
    byId("match-name").value = server.match.name;
    byId("match-opponent").value = server.match.opponent;
    byId("match-event").value = server.match.event;
    /**
     * @param {"confirm" | "revise" | "played" | "pause" | "ours" | "back" | "end" | "close"} id
     * @param {() => unknown} action
     */
    const click = (id, action) => byId(`match-${id}`).addEventListener("click", action);
    click("confirm", () => this.confirm());
    click("revise", () => this.revise());
    click("played", () => this.played());
    click("pause", () => this.pause());
    click("ours", () => this.enterOurs());
    click("back", () => this.askBack());
    click("end", () => ask("match-end-dialog"));
    click("close", () => {
      const { tree } = this;
      this.leave();
      setTreeToLookAt(tree);
    });
    byId("open-match").addEventListener("click", () => this.active || ask("match-dialog"));
    byId("match-clock-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const them = opponentOf(this.us);
      this.setClock(byId("match-clock-side").value === "ours" ? this.us : them, byId("match-clock").value);
    });
    byId("match-clock").addEventListener("input", () => byId("match-clock").setCustomValidity(""));
    /**
     * @param {Dialogs} id
     * @param {string} answer
     * @param {() => unknown} action
     */
    const closed = (id, answer, action) => byId(id).addEventListener("close", () => byId(id).returnValue === answer && action());
    closed("match-dialog", "begin", () => this.begin());
    closed("match-back-dialog", "back", () => this.takeBack(byId("match-reason").value.trim()));
    closed("match-end-dialog", "end", () => this.end(byId("match-winner").value, byId("match-end-reason").value.trim()));
    document.addEventListener("keydown", (event) => this.key(event));
    readers.push((text) => this.takes(text));
    this.offered = this.offer().then(() => this.reopen());
  }
}

export const match = new Match("match");
