// Win-rate curves of a game: Black's win rate ply by ply, in one or more series.

import { html, percent, svg } from "shared/elements.js";

const CURVE = { height: 230, bars: 52, left: 46, right: 12, axis: 26, top: 14, bottom: 26 };
/** Minimum lead, in moves, at the top of the right axis. */
const MIN_LEAD_SCALE = 10;
/** Minimum share, 0 to 1, that a bar of full height represents. */
const MIN_BAR_SCALE = 0.1;
/** Width of a sign above a bar, in pixels. */
const SIGN_WIDTH = 14;

export class Curve {
  /**
   * Calls `choose` with the ply that somebody points at. `chart(game)` returns the data to draw:
   * `{ plies, label, empty, series: [{ side, points: [{ ply, rate, proven, mark }], legend: [element or text] }], bars:
   * [{ ply, share, side, sign }] }`. `side` is a CSS class; the text `empty` is shown if no series has a point.
   * `proven` points look different, and `mark` is the CSS class of a larger point below a point or null. The optional
   * `leads`, `{ points: [{ ply, lead }], legend }`, are drawn by the right axis. The optional `bars` below the curve
   * have heights proportional to `share` and a sign above. No text lies on the curve.
   * @param {HTMLElement} holder
   * @param {(ply: number) => void} choose
   * @param {(game: object | null) => Chart} chart
   */
  constructor(holder, choose, chart) {
    this.holder = holder;
    this.choose = choose;
    this.chart = chart;
    /** @type {object | null} */
    this.game = null;
    /**
     * The picture, or null without a point to draw.
     * @type {SVGSVGElement | null}
     */
    this.picture = null;
    this.cursor = svg("g", { class: "cursor" });
    /** @type {Series[]} */
    this.series = [];
    /** The ply shown and the number of plies. */
    this.ply = 0;
    this.plies = 0;
    /** Sizes in pixels: of the curve, with its bars, and right of it. */
    this.width = 0;
    this.height = 0;
    this.full = 0;
    this.right = 0;
    new ResizeObserver(() => this.redrawIfResized()).observe(holder);
  }

  /**
   * @param {object} game
   * @param {number} ply
   */
  draw(game, ply) {
    this.ply = ply;
    if (this.game !== game) this.redraw(game);
    else this.placeCursor();
  }

  /**
   * Draws the whole curve of a game.
   * @param {object} game
   */
  redraw(game) {
    this.game = game;
    this.build();
    this.placeCursor();
  }

  redrawIfResized() {
    if (this.game !== null && this.holder.clientWidth !== this.width) {
      this.redraw(this.game);
    }
  }

  /** @param {number} ply */
  x(ply) {
    const plies = Math.max(1, this.plies);
    return CURVE.left + (ply / plies) * (this.width - CURVE.left - this.right);
  }

  /** @param {number} rate */
  y(rate) {
    return CURVE.top + (1 - rate) * (this.height - CURVE.top - CURVE.bottom);
  }

  build() {
    this.width = this.holder.clientWidth;
    const { plies, series, label, empty, bars = [], leads = null } = this.chart(this.game);
    this.plies = plies;
    // A room can give the curve less height.
    this.full = Number(getComputedStyle(this.holder).getPropertyValue("--curve-height")) || CURVE.height;
    this.height = this.full - (bars.length > 0 ? CURVE.bars : 0);
    this.right = CURVE.right + (leads ? CURVE.axis : 0);
    this.series = series;
    if (series.every(({ points }) => points.length === 0)) {
      this.picture = null;
      this.holder.replaceChildren(html("p", { class: "empty" }, empty));
      return;
    }
    const picture = svg("svg", {
      width: this.width,
      height: this.full,
      role: "img",
      "aria-label": label,
      onpointerdown: (event) => this.point(event),
      onpointermove: (event) => event.buttons === 1 && this.point(event),
    });
    this.picture = picture;
    picture.append(...this.grid(), ...this.bars(bars), ...this.leads(leads), ...series.flatMap((one) => this.line(one)), this.cursor);
    const entries = series.map(({ side, legend }) => html("span", { class: `entry ${side}` }, html("span", { class: "swatch" }), ...legend));
    if (leads) entries.push(html("span", { class: "entry lead" }, html("span", { class: "swatch" }), ...leads.legend));
    this.holder.replaceChildren(html("div", { class: "legend" }, ...entries), picture);
  }

  grid() {
    const right = this.width - this.right;
    /** @type {SVGElement[]} */
    const elements = [];
    for (const rate of [0, 0.25, 0.5, 0.75, 1]) {
      const y = this.y(rate);
      elements.push(svg("line", { class: rate === 0.5 ? "middle" : "grid", x1: CURVE.left, x2: right, y1: y, y2: y }));
      if (rate * 2 % 1 === 0) elements.push(svg("text", { class: "tick", x: CURVE.left - 6, y: y + 4, "text-anchor": "end" }, percent(rate, 0)));
    }
    const step = [5, 10, 20, 50].find((size) => this.plies / size <= this.width / 60) ?? 100;
    for (let ply = 0; ply <= this.plies; ply += step) {
      elements.push(svg("text", { class: "tick", x: this.x(ply), y: this.height - 8, "text-anchor": "middle" }, ply));
    }
    return elements;
  }

  /**
   * Returns the bars below the curve. The highest one has full height, unless its share is below `MIN_BAR_SCALE`.
   * @param {CurveBar[]} bars
   */
  bars(bars) {
    if (bars.length === 0) return [];
    const bottom = this.full - 2;
    const highest = Math.max(MIN_BAR_SCALE, ...bars.map(({ share }) => share));
    const width = Math.min(8, Math.max(1.5, (0.8 * (this.width - CURVE.left - this.right)) / Math.max(1, this.plies)));
    let last = -Infinity;
    const drawn = bars.flatMap(({ ply, share, side, sign }) => {
      const height = (share / highest) * (CURVE.bars - 18);
      const x = this.x(ply);
      // Omits a sign that would overlap the previous one.
      const hasRoom = sign && x - last >= SIGN_WIDTH;
      if (hasRoom) last = x;
      const text = hasRoom && svg("text", { class: "tick", x, y: bottom - height - 3, "text-anchor": "middle" }, sign);
      return [svg("rect", { class: `bar-of ${side}`, x: x - width / 2, y: bottom - height, width, height }), ...(text ? [text] : [])];
    });
    const label = svg("text", { class: "tick", x: CURVE.left - 6, y: bottom - CURVE.bars + 22, "text-anchor": "end" }, percent(highest, 0));
    const lines = [bottom, bottom - CURVE.bars + 18].map((y) => svg("line", { class: "grid", x1: CURVE.left, x2: this.width - this.right, y1: y, y2: y }));
    return [...lines, label, ...drawn];
  }

  /**
   * Returns the line of the leads and the labels of its axis.
   * @param {Leads | null} leads
   */
  leads(leads) {
    if (!leads) return [];
    const highest = Math.max(MIN_LEAD_SCALE, ...leads.points.map(({ lead }) => Math.ceil(Math.abs(lead) / 5) * 5));
    /** @param {number} lead */
    const y = (lead) => this.y(0.5 + lead / highest / 2);
    const ticks = [highest, 0, -highest].map((lead) => svg("text", { class: "tick", x: this.width - this.right + 6, y: y(lead) + 4 },
      lead > 0 ? `+${lead}` : lead < 0 ? `−${-lead}` : "0"));
    const path = leads.points.map(({ ply, lead }, index) => `${index ? "L" : "M"}${this.x(ply).toFixed(1)} ${y(lead).toFixed(1)}`);
    return [...ticks, svg("path", { class: "rates lead", d: path.join("") })];
  }

  /** @param {Series} given */
  line({ points, side }) {
    const path = points.map(({ ply, rate }, index) => `${index ? "L" : "M"}${this.x(ply).toFixed(1)} ${this.y(rate).toFixed(1)}`);
    const dots = points.map(({ ply, rate, proven }) => {
      const [x, y] = [this.x(ply), this.y(rate)];
      if (proven) return svg("rect", { class: `dot proven ${side}`, x: x - 3, y: y - 3, width: 6, height: 6 });
      return side === "white"
        ? svg("path", { class: `dot ${side}`, d: `M${x} ${y - 3}l3 3-3 3-3-3z` })
        : svg("circle", { class: `dot ${side}`, cx: x, cy: y, r: 2.2 });
    });

    const marks = points.filter(({ mark }) => mark).map(({ ply, rate, mark }) => svg("circle", { class: `marked ${mark}`, cx: this.x(ply), cy: this.y(rate), r: 4.5 }));
    return [svg("path", { class: `rates ${side}`, d: path.join("") }), ...marks, ...dots];
  }

  placeCursor() {
    if (this.picture === null) return;
    const x = this.x(this.ply);
    const marks = this.series.flatMap(({ points, side }) => {
      const known = points.findLast(({ ply }) => ply <= this.ply);
      return known ? [svg("circle", { class: `now ${side}`, cx: this.x(known.ply), cy: this.y(known.rate), r: 5 })] : [];
    });
    const line = svg("line", { x1: x, x2: x, y1: CURVE.top, y2: this.height - CURVE.bottom });
    this.cursor.replaceChildren(line, ...marks);
  }

  /** @param {PointerEvent} event */
  point(event) {
    if (!this.picture) return;
    const along = event.clientX - this.picture.getBoundingClientRect().left - CURVE.left;
    const share = along / (this.width - CURVE.left - this.right);
    this.choose(Math.round(Math.min(1, Math.max(0, share)) * this.plies));
  }
}
