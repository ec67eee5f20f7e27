// The board as a picture. The elements of amazons and arrows stay between positions, so that pieces glide.

import { piece, svg } from "shared/elements.js";
import { placeOf, squareAt } from "shared/replay.js";

const CELL = 10;
const MARGIN = 5;

export class Board {
  /**
   * The game shown, or null before the next drawing.
   * @type {object | null}
   */
  key = null;
  flipped = false;
  edge = 0;
  under = svg("g");
  marks = svg("g");
  tiles = svg("g");
  lines = svg("g");
  over = svg("g");
  /**
   * The drawings of the amazons.
   * @type {SVGGElement[]}
   */
  pieces = [];

  /** @param {HTMLElement} holder */
  constructor(holder) {
    this.holder = holder;
  }

  /**
   * Puts White's side at the bottom if `flipped`, otherwise Black's. The next drawing shows the change.
   * @param {boolean} flipped
   */
  flip(flipped) {
    this.flipped = flipped;
    this.key = null;
  }

  /**
   * Draws a position. Pieces glide between positions with the same key, which identifies a game. `under` and `over` are
   * groups for further drawings below and above the pieces.
   * @param {object} key
   * @param {BoardPosition} position
   */
  draw(key, position) {
    if (this.key !== key) {
      this.key = key;
      this.build(position);
    }
    this.pieces.forEach((element, index) => {
      const { square } = position.amazons[index];
      element.dataset.square = square;
      const [x, y] = this.centre(square);
      element.style.transform = `translate(${x}px, ${y}px)`;
    });
    this.drawArrows(position.arrows);
    this.drawLast(position.last);
  }

  /** @param {BoardPosition} position */
  build(position) {
    this.edge = position.edge;
    const length = this.edge * CELL;
    const box = `${-MARGIN} -1 ${length + MARGIN + 1} ${length + MARGIN + 1}`;
    for (const group of [this.under, this.marks, this.tiles, this.lines, this.over]) group.replaceChildren();
    this.pieces = position.amazons.map(({ side }) => {
      const element = piece(side);
      element.dataset.side = side;
      return element;
    });
    const picture = svg("svg", { viewBox: box, role: "img", "aria-label": "Board" });
    picture.append(...this.squares(), this.under, this.marks, this.tiles, this.lines, ...this.pieces, this.over);
    this.holder.replaceChildren(picture);
  }

  /** Returns the SVG elements of an empty board: its squares and coordinates. */
  squares() {
    const length = this.edge * CELL;
    // As large on every board, whatever its number of squares.
    const size = (length + MARGIN + 1) / 36;
    /** @type {SVGElement[]} */
    const elements = [svg("rect", { class: "rim", x: -0.6, y: -0.6, width: length + 1.2, height: length + 1.2, rx: 0.8 })];
    for (let row = 0; row < this.edge; row += 1) {
      for (let column = 0; column < this.edge; column += 1) {
        const shade = (row + column) % 2 === 0 ? "dark" : "light";
        elements.push(this.cell(squareAt(column, row), `square ${shade}`));
      }
      const [x, y] = this.centre(squareAt(row, row));
      elements.push(
        svg("text", { class: "coordinate", "font-size": size, x, y: length + 3.6 }, squareAt(row, 0)[0]),
        svg("text", { class: "coordinate", "font-size": size, x: -2.6, y: y + size / 3 }, row + 1),
      );
    }
    return elements;
  }

  /** @param {Square} square */
  centre(square) {
    const [column, row] = placeOf(square);
    const [x, y] = [(column + 0.5) * CELL, (this.edge - row - 0.5) * CELL];
    return this.flipped ? [this.edge * CELL - x, this.edge * CELL - y] : [x, y];
  }

  /**
   * Returns the rectangle of a square, smaller by `inset` on each side.
   * @param {Square} square
   * @param {string} name
   * @param {number} [inset]
   */
  cell(square, name, inset = 0) {
    const [x, y] = this.centre(square);
    const width = CELL - 2 * inset;
    return svg("rect", { class: name, x: x - width / 2, y: y - width / 2, width, height: width, rx: inset });
  }

  /**
   * Draws the arrows. Reuses the elements drawn before, up to the first arrow that differs.
   * @param {Square[]} arrows
   */
  drawArrows(arrows) {
    const drawn = /** @type {SVGElement[]} */ ([...this.tiles.children]);
    const parting = drawn.findIndex((tile, index) => tile.dataset.square !== arrows[index]);
    if (parting >= 0) drawn.slice(parting).forEach((tile) => tile.remove());
    for (const square of arrows.slice(this.tiles.childElementCount)) {
      const [x, y] = this.centre(square);
      const cross = `M${x - 1.7} ${y - 1.7}l3.4 3.4m0-3.4-3.4 3.4`;
      const tile = svg("g", { class: "arrow" }, this.cell(square, "tile", 0.7), svg("path", { d: cross }));
      tile.dataset.square = square;
      this.tiles.append(tile);
    }
    const last = this.tiles.lastElementChild;
    for (const tile of this.tiles.children) tile.classList.toggle("newest", tile === last);
  }

  /**
   * Draws the last move: the amazon's line, and the arrow's if it has been shot.
   * @param {Course | null} last
   */
  drawLast(last) {
    this.marks.replaceChildren();
    this.lines.replaceChildren();
    for (const tile of this.tiles.querySelectorAll(".newest")) tile.classList.toggle("newest", last !== null);
    if (last === null) return;
    for (const [name, square] of [["from", last.from], ["to", last.to]]) {
      const mark = this.cell(square, `mark ${name}`);
      mark.dataset.square = square;
      this.marks.append(mark);
    }
    this.lines.append(...this.course(last, "way", "flight"));
  }

  /**
   * Returns the lines of a move or of its first half, with the CSS classes `way` (amazon) and `flight` (arrow).
   * @param {Course} given
   * @param {string} way
   * @param {string} flight
   */
  course({ from, to, arrow }, way, flight) {
    // An arrow shot back at the square that the amazon left would cover the amazon's line.
    const shift = arrow === from ? 1 : 0;
    const lines = [this.line(from, to, way, 0, 4.4, shift)];
    if (arrow) lines.push(this.line(to, arrow, flight, 4.6, 3.2, shift));
    return lines;
  }

  /**
   * Returns a line with a head between two squares, shortened at both ends and shifted to its right.
   * @param {Square} from
   * @param {Square} to
   * @param {string} name
   * @param {number} startGap
   * @param {number} endGap
   * @param {number} shift
   */
  line(from, to, name, startGap, endGap, shift) {
    const [[x1, y1], [x2, y2]] = [this.centre(from), this.centre(to)];
    const length = Math.hypot(x2 - x1, y2 - y1);
    const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
    /**
     * @param {number} along
     * @param {number} [aside]
     */
    const at = (along, aside = 0) => {
      const across = aside + shift;
      return `${(x1 + dx * along - dy * across).toFixed(2)} ${(y1 + dy * along + dx * across).toFixed(2)}`;
    };
    const end = length - endGap;
    return svg("g", { class: name },
      svg("path", { class: "shaft", d: `M${at(startGap)}L${at(Math.max(startGap, end - 1))}` }),
      svg("path", { class: "head", d: `M${at(end)}L${at(end - 2, 1.1)}L${at(end - 2, -1.1)}z` }));
  }
}
