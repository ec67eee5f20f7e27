// Types of the page for `tsc`, which checks all modules. They are global, so that no module imports them.

type GameTree = import("./core/tree.js").GameTree;
type Room = import("./core/room.js").Room;

type Side = "black" | "white";
type BySide<T> = Record<Side, T>;
type Player = "human" | "engine";
/** A FEN, a square such as d7, a move such as d1-d7/g7. */
type Fen = string;
type Square = string;
type Move = string;

// Answers of the engine, see docs/requests.md.

interface Proof {
  winner: Side;
  /** Minimum number of moves that the winner has left; null if unknown. */
  margin: number | null;
}

interface Region {
  side: Side;
  squares: Square[];
  moves: number;
}

/** Answer to `start` and `position`. */
interface Description {
  fen: Fen;
  played: Move[];
  edge: number;
  ply: number;
  side: Side;
  winner: Side | null;
  proof: Proof | null;
  /** Legal moves: amazon's square, target, squares that the arrow can hit. */
  moves: Record<Square, Record<Square, Square[]>>;
  owners: string;
  distances: Record<Square, [number | null, number | null]>;
  enclosed: Region[];
}

interface FoundLine {
  move: Move;
  win_rate: number;
  visits: number;
  proven: Side | null;
  /** Lead of the side to move. */
  lead: number | null;
  continuation: Move[];
}

/** Answer to `think`; win rates and leads are those of the side to move. */
interface Found {
  /** Null without a single visit. */
  best: Move | null;
  win_rate: number;
  proven: Side | null;
  margin: number | null;
  lead: number | null;
  lines: FoundLine[];
  iterations: number;
  visits: number;
  depth: number;
  recycled: number;
  seconds: number;
  /** True if a record, not a search, gave the result. */
  isSaved?: boolean;
}

/** Cross-table: `wins[row][column]` are the games that the player of the row has won. */
interface Standing {
  players: { name: string, elo: number, margin: number }[];
  wins: number[][];
  anchored: boolean;
}

interface PlayedMove {
  move: Move;
  win_rate?: number | null;
  effort?: number;
  seconds?: number;
}

type Mark = "best" | "good" | "inaccuracy" | "mistake" | "blunder";

interface SavedAnalysis {
  /** Black's win rate. */
  black: number;
  lead?: number | null;
  visits: number;
  line?: string;
}

interface Note {
  comment?: string;
  name?: string;
  /** Black's win rate minus White's, in percent. */
  value?: number | null;
  mark?: Mark;
  analysis?: SavedAnalysis;
  variations?: RecordLine[];
}

/** Moves, and notes on their positions by ply. */
interface RecordLine {
  moves: PlayedMove[];
  notes?: Record<number, Note>;
}

/** The data of a record beside its moves. */
interface RecordHead {
  number?: number;
  black?: string;
  white?: string;
  when?: string;
  event?: string;
  control?: string;
  forfeit?: unknown;
}

interface GameRecord extends RecordHead, RecordLine {
  start: Fen;
  winner: Side | null;
}

/** Begins in a FEN. */
interface MoveSequence {
  fen: Fen;
  moves?: Move[];
}

type Form = "json" | "sgf" | "ccgc";
interface Limit {
  seconds?: number;
  iterations?: number;
  anew?: boolean;
}

interface Thinking extends MoveSequence, Limit {
  lines?: number;
  level?: number;
  seed?: number;
  clock?: { left: number, total: number, overhead: number };
}

/** Requests by their `do`, and the answers. */
interface Asked {
  start: { edge: number };
  position: MoveSequence;
  proofs: MoveSequence;
  think: Thinking;
  read: { text: string } | { bytes: string };
  write: { form: Form, game: GameRecord };
  marks: {};
  bench: {};
  version: {};
}

interface Answers {
  start: Description;
  position: Description;
  proofs: { proofs: (Proof | null)[] };
  think: Found;
  read: { games: GameRecord[], warnings: string[], standing: Standing | null };
  write: { text: string };
  /** Minimum losses of the marks, largest first, and the numbers of clear rates and phases. */
  marks: { marks: [number, Mark][], clear_rate: number, rate_per_move: number, phases: number[] };
  bench: { iterations: number, seconds: number, version: string, checksum: number, kernel: string };
  version: { version: string };
}

type RequestKind = keyof Answers;
type EngineRequest<Kind extends RequestKind> = { do: Kind } & Asked[Kind];

/** The server of `otrera gui` describes itself. */
interface Server {
  version: string;
  preset: string;
  threads: number;
  memory: number;
  match: { name: string, opponent: string, event: string };
}

// The tree of a game.

/** Says why a move is bad: a text in the page's language, and the squares that the move loses. */
interface Reason {
  text: () => string;
  lost: Square[];
}

interface NodeData {
  ply: number;
  children: PlayedNode[];
  /** The next node of the line shown. */
  next: PlayedNode | null;
  described: Description | null;
  /** Result of the longest search. */
  found: Found | null;
  /** Black's win rate and lead from the longest search, and its visits. */
  rate: number | null;
  lead: number | null;
  visits: number;
  /** Estimate and effort of the player of the move. */
  played: Partial<PlayedMove>;
  /** Winner of a game that ended early, for example by resignation. */
  winner: Side | null;
  proof: Proof | null;
  note: Note;
  /** True after the search of a review. */
  isReviewed: boolean;
  /** Null if no reason was found; undefined before the search for it. */
  reason?: Reason | null;
}

interface RootNode extends NodeData {
  parent: null;
  move: null;
}

interface PlayedNode extends NodeData {
  parent: GameNode;
  move: Move;
}

/** A position of a game, after a move or at the start. */
type GameNode = RootNode | PlayedNode;
/** A node that the engine has described. */
type DescribedNode = GameNode & { described: Description };
/** A node whose position and the one before were searched. */
type ReviewedNode = PlayedNode & { rate: number, parent: GameNode & { rate: number } };

/** A lead of Black; counted squares if no lead in moves is known. */
interface Lead {
  lead: number;
  isCounted: boolean;
}

/** Clocks of a game, in seconds; `asked` are the minutes in the dialog. */
interface GameClock {
  asked?: number;
  limit: number | null;
  used: BySide<number>;
}

// The board.

/** The chosen part of a move. */
interface Half {
  from?: Square;
  to?: Square;
}

/** A move to draw up to its arrow, if it has been shot. */
interface Course {
  from: Square;
  to: Square;
  arrow?: Square | null;
}

interface BoardPosition {
  edge: number;
  amazons: { side: Side, square: Square }[];
  arrows: Square[];
  last: Course | null;
}

/** A move to draw as arrows; `step` is that of a hint, `number` the place in a line. */
interface Suggestion {
  move: Move;
  side: Side;
  step?: number;
  number?: number;
  rate?: number;
  look?: string;
}

/** A drag from a square, perhaps of a piece; `moved` once it is longer than a click. */
interface Drag {
  square: Square;
  piece: SVGGElement | undefined;
  x: number;
  y: number;
  moved: boolean;
}

type SquaresShown = "off" | "territory" | "owners" | "moves";

/** Data of the curve, see `Curve`. */
interface CurvePoint {
  ply: number;
  rate: number;
  proven?: boolean;
  mark?: string | null;
}

interface Series {
  side: string;
  points: CurvePoint[];
  legend: (Node | string)[];
}

interface CurveBar {
  ply: number;
  share: number;
  side: string;
  sign: string;
}

interface Leads {
  points: { ply: number, lead: number }[];
  legend: (Node | string)[];
}

interface Chart {
  plies: number;
  label: string;
  empty: string;
  series: Series[];
  bars?: CurveBar[];
  leads?: Leads | null;
}

// The page.

/** Strength of the engine: one of the limits for a move, or a level. */
interface Control {
  level?: number;
  seconds?: number;
  iterations?: number;
}

/** True until the next interruption of the page's tasks. */
type GoesOn = () => boolean;

interface Hint {
  move: Move;
  step: number;
}

interface State {
  mode: string;
  /** Null only before the first room is opened. */
  tree: GameTree;
  players: BySide<Player>;
  control: Control;
  half: Half;
  unanswered: GameNode | null;
  change: number;
  replying: number | null;
  analysing: boolean;
  uninterruptible: boolean;
  found: Found | null;
  hint: Hint | null;
  pointed: number | null;
  preview: PlayedNode | null;
  squares: SquaresShown | null;
  review: Review | null;
  searches: number;
  message: string | null;
}

/** A game shown and its room, to return to. */
interface GameShown {
  mode: string;
  tree: GameTree;
  unanswered: GameNode | null;
  half: Half;
  players: BySide<Player>;
  isFlipped: boolean;
  hasGames: boolean;
}

/** The wish to move, choose a square or make a move. */
interface Attempt {
  square?: Square;
  move?: Move;
}

/** What a room shows and allows, see `Room.panel`. */
interface Panel {
  rates: boolean;
  moves: boolean;
  review: boolean;
  bars: boolean;
  squares: SquaresShown;
  signs?: { square: Square, isRight: boolean }[];
  keeps: boolean;
  leaves: boolean;
  steps: boolean;
  draw(): void;
}

interface Review {
  tree: GameTree;
  done: number;
  waits: boolean;
}

/** A file or a text: its name, its text, and the part of the engine's request that holds it. */
interface Source {
  name: string;
  text: string;
  source: { text: string } | { bytes: string };
}

/** A game in the browser's storage. */
interface KeptGame {
  id: number;
  of?: number | null;
  begun: number | null;
  clock: GameClock | null;
  players: BySide<Player>;
  control: Control;
  ply: number;
  record: GameRecord;
}

/** An own mistake that comes back as a puzzle. */
interface Mistake {
  fen: Fen;
  solution: Move;
  played: Move;
  /** Loss as text. */
  loss: string;
  from: string;
  /** Day on which it comes back. */
  due: number;
  seen: number;
  step: number;
}

/** Choices of sides in the dialog for a new game. */
type AskedSide = "black" | "white" | "either" | "both" | "none";

/** A puzzle: the moves of its line alternate the solver's with the best replies. */
interface Puzzle {
  fen: Fen;
  line: Move[];
  solution: Move;
  /** Moves that the winner has left at the end. */
  margin: number;
  /** False if the margin is a lead by searches. */
  isProven: boolean;
  grade: number;
}

/** A match that can be resumed: its text, its content, and whether a page holds it. */
interface MatchOffer {
  text: string;
  held: boolean;
  game: MatchRecord;
}

/** Methods of the match that keys and buttons call. */
type MatchAction = "confirm" | "revise" | "played" | "typeMove" | "askClock" | "askBack" | "pause" | "enterOurs";

type Phase = "over" | "paused" | "entered" | "entry" | "announced" | "thinking";

/** A game with a friend, in which `side` is played here. */
interface FriendGame {
  start: Fen;
  moves: Move[];
  side: Side;
}

/** A move with the estimate and effort of its player. */
type Decision = { move: Move } & Partial<PlayedMove>;

/** State of a match that is saved with its game. */
interface MatchState {
  us: Side;
  minutes: number;
  overhead: number;
  handled: { moves: number, seconds: number };
  pondering: boolean;
  clocks: BySide<number>;
  since: number;
  spent: number;
  paused: boolean;
  over: boolean;
  decided: Decision | null;
}

/** The file of a match. */
interface MatchFile {
  id: string | null;
  name: string | null;
  takesOver: boolean;
  at?: Date;
}

/** The record of a match as saved. */
type MatchRecord = GameRecord & { match: { id: string, state: MatchState } };

type Language = "en" | "zh";
/** A text, a list of texts, or a text with parameters, whose types only the text itself knows. */
type PageText = string | PageText[] | { [key: string]: PageText } | ((...values: any[]) => string);
type Texts = Record<string, PageText>;
type PageTexts = typeof import("./core/text.js").TEXT.en;
type TextKey = keyof PageTexts;
type TextValues<Key extends TextKey> = PageTexts[Key] extends (...values: infer Values) => string ? Values : [];
type TextOf<Key extends TextKey> = PageTexts[Key] extends (...values: any[]) => string ? string : PageTexts[Key];
/** Keys of the texts that are a text without parameters. */
type PlainKey = { [Key in TextKey]: PageTexts[Key] extends string ? Key : never }[TextKey];

/** Content of an element: nodes and texts. */
type Content = Node | string | number | null | undefined;
interface Attributes {
  onpointerdown?: (event: PointerEvent) => unknown;
  onpointermove?: (event: PointerEvent) => unknown;
  [name: string]: unknown;
}

/** Ids of the elements in page.html by their kinds; `Made` are those that scripts create. */
type Inputs =
  "fen" | "file" | "folder" | "friend-text" | "friend-theirs" | "link" | "match-clock" | "match-end-reason" |
  "match-event" | "match-minutes" | "match-name" | "match-opponent" | "match-overhead" | "match-pondering" |
  "match-reason" | "puzzle-number" | "set-up-black" | "set-up-white" | "typed-move";

type Selects =
  "coach-limit" | "control" | "games" | "language" | "lines" | "match-clock-side" | "match-winner" | "puzzle-grade" |
  "squares-shown" | "theme";

type Buttons =
  "analyse" | "back" | "basics-again" | "basics-door" | "basics-next" | "basics-play" | "begin" | "bench" | "coach" |
  "coach-back" | "coach-on" | "delete-line" | "door-analyse" | "door-learn" | "door-play" | "end-review" | "end-save"
  | "fill" | "flip" | "forward" | "friend-analyse" | "friend-close" | "friend-copy" | "hint" | "keep-black" |
  "keep-white" | "learn-black" | "learn-white" | "lesson-again" | "lesson-end" | "lesson-next" | "lesson-show" |
  "make-main" | "match-back" | "match-back-done" | "match-begin" | "match-close" | "match-confirm" | "match-end" |
  "match-end-done" | "match-ours" | "match-pause" | "match-played" | "match-revise" | "menu" | "new-game" | "open" |
  "open-analyse" | "open-door" | "open-folder" | "open-friend" | "open-match" | "open-paste" | "open-play" |
  "open-puzzles" | "open-recent" | "open-rules" | "open-set-up" | "own-export" | "play-again" | "play-here" |
  "play-same" | "puzzle-again" | "puzzle-analyse" | "puzzle-close" | "puzzle-hint" | "puzzle-next" | "puzzle-random" |
  "puzzle-solution" | "puzzle-today" | "read-pasted" | "recent-clear" | "recent-close" | "resign" | "resign-yes" |
  "review" | "review-all" | "rules-play" | "save-picture" | "save-review" | "set-up-cancel" | "set-up-clear" |
  "set-up-done" | "set-up-usual" | "share" | "sound" | "to-end" | "to-start" | "undo";

type Areas =
  "comment" | "pasted";

type Tables =
  "best-moves" | "mistakes" | "own-list" | "rules-keys" | "standing";

type Bars =
  "review-progress";

type Dialogs =
  "match-back-dialog" | "match-dialog" | "match-end-dialog" | "new-game-dialog" | "paste-dialog" | "recent-dialog" |
  "resign-dialog" | "rules-dialog";

type Others =
  "basics" | "basics-steps" | "basics-text" | "basics-title" | "bench-result" | "board" | "coach-panel" | "coach-text"
  | "collection" | "comment-label" | "curve" | "decided" | "door" | "end-actions" | "ending" | "engine-module" |
  "fen-form" | "friend" | "friend-form" | "friend-new" | "friend-send" | "friend-title" | "game-title" | "games-label"
  | "lesson" | "lesson-task" | "lesson-title" | "line-actions" | "match" | "match-back-title" | "match-back-what" |
  "match-clock-form" | "match-dialog-title" | "match-end-title" | "match-flag" | "match-keys" | "match-last" |
  "match-letters" | "match-offers" | "match-problem" | "match-saved" | "match-side" | "match-size" | "match-task" |
  "match-time-black" | "match-time-white" | "match-who-black" | "match-who-white" | "menu-sheet" |
  "mistake-note" | "mistakes-part" |
  "moves" | "new-board" | "new-clock" | "new-from" | "new-game-title" | "new-level" | "new-side" | "new-size" |
  "own-due" | "own-none" | "own-part" | "palette" | "paste-hint" | "paste-title" | "player-low" | "player-top" | "ply"
  | "puzzle" | "puzzle-form" | "puzzle-kept" | "puzzle-kind" | "puzzle-last" | "puzzle-list" | "puzzle-title" | "rate"
  | "recent-list" | "recent-none" | "recent-title" | "resign-title" | "result" | "review-all-done" | "review-done" |
  "review-result" | "review-sides" | "rules-board" | "rules-list" | "rules-title" | "rules-version" | "running" |
  "save" | "server" | "server-note" | "set-up" | "set-up-side" | "set-up-size" | "set-up-title" | "squares" |
  "squares-legend" | "standing-note" | "standing-part" | "status" | "type-move" | "worker";

type Made = "clock-black" | "clock-white";

interface Elements extends Record<Inputs, HTMLInputElement>, Record<Selects, HTMLSelectElement>,
  Record<Buttons, HTMLButtonElement>, Record<Areas, HTMLTextAreaElement>, Record<Tables, HTMLTableElement>,
  Record<Bars, HTMLProgressElement>, Record<Dialogs, HTMLDialogElement>, Record<Others | Made, HTMLElement> {}
