// Pictures to save: the page's drawings with their styles inlined, rendered as PNG by a canvas.

import { byId, html, SIDES, svg } from "shared/elements.js";
import { t } from "page/core/text.js";
import { state } from "page/core/state.js";
import { unlessStopped } from "page/core/game.js";
import { download } from "page/core/records.js";
import { verdict } from "page/core/verdict.js";

/** Canvas pixels per pixel of the drawing. */
const PICTURE_SCALE = 2;
/** Width of a picture, gap at its edges and between its parts, and height of a line of text, in pixels. */
const PICTURE = { width: 720, gap: 16, line: 22 };
/** Style properties that are copied into a drawing. */
const DRAWN_STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin",
  "opacity", "font-family", "font-size", "font-weight", "text-anchor", "transform"];

/**
 * Returns a copy of a drawing with inlined styles, placed in a picture.
 * @param {Element} drawing
 * @param {{ y: number, width: number, height: number, x?: number, box?: string | null }} given
 */
function placed(drawing, { y, width, height, x = 0, box = drawing.getAttribute("viewBox") }) {
  const copy = /** @type {Element} */ (drawing.cloneNode(true));
  const copies = [copy, ...copy.querySelectorAll("*")];
  for (const [index, element] of [drawing, ...drawing.querySelectorAll("*")].entries()) {
    const style = getComputedStyle(element);
    copies[index].setAttribute("style", DRAWN_STYLES.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
  }
  for (const [name, value] of Object.entries({ x, y, width, height, viewBox: box })) copy.setAttribute(name, String(value));
  return copy;
}

/**
 * Returns the drawing in an element of the page.
 * @param {Others} id
 */
function drawingIn(id) {
  return /** @type {SVGSVGElement} */ (byId(id).querySelector("svg:not(.icon)"));
}

/**
 * Returns a line of text in the page's font.
 * @param {string} text
 * @param {number} y
 * @param {{ x?: number, colour?: string | null, bold?: boolean }} [given]
 */
function pictureText(text, y, { x = PICTURE.gap, colour = null, bold = false } = {}) {
  const { fontFamily, color } = getComputedStyle(document.body);
  const style = `font:${bold ? "bold " : ""}15px ${fontFamily};fill:${colour ?? color}`;
  return svg("text", { x, y, style }, text);
}

/**
 * Returns a picture of this height, with the background colour of the page's cards.
 * @param {number} height
 * @param {Element[]} parts
 */
function pictureOf(height, parts) {
  const { width } = PICTURE;
  const colour = getComputedStyle(/** @type {Element} */ (document.querySelector(".card"))).backgroundColor;
  const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}` }, svg("rect", { width, height, style: `fill:${colour}` }));
  picture.append(...parts);
  return picture;
}

/** Returns a picture of the board with its arrows. */
export function boardPicture() {
  const { width } = PICTURE;
  return pictureOf(width, [placed(drawingIn("board"), { y: 0, width, height: width })]);
}

/** Returns the sides and the players' names as text. */
function playersText() {
  const { record } = state.tree;
  return SIDES.map((side) => `${t(side)}${record[side] ? `: ${record[side]}` : ""}`).join(" – ");
}

/** Returns a picture of the board, the curve with its marks, and the review's summary of both players. */
export function reviewPicture() {
  const { width, gap, line } = PICTURE;
  const inner = width - 2 * gap;
  const drawn = drawingIn("curve");
  const [curveWidth, curveHeight] = ["width", "height"].map((name) => Number(drawn.getAttribute(name)));
  let y = gap + line;
  /** @type {Element[]} */
  const parts = [pictureText(playersText(), y - 4, { bold: true })];
  parts.push(placed(drawingIn("board"), { x: gap, y, width: inner, height: inner }));
  y += inner + gap;
  for (const entry of byId("curve").querySelectorAll(".entry")) {
    const [swatch] = entry.children;
    const colour = getComputedStyle(swatch).backgroundColor;
    parts.push(pictureText(`— ${[...entry.children].map((part) => part.textContent).filter(Boolean).join(" ")}`, y + line - 6, { colour }));
    y += line;
  }
  const height = (inner * curveHeight) / curveWidth;
  parts.push(placed(drawn, { x: gap, y, width: inner, height, box: `0 0 ${curveWidth} ${curveHeight}` }));
  y += height + gap;
  for (const side of SIDES) {
    const { accuracy, counts: [inaccuracies, mistakes, blunders] } = verdict.summary(side);
    parts.push(pictureText(`${t(side)} · ${t("accuracy")} ${accuracy?.toFixed(1) ?? "–"} · ${t("counts", inaccuracies, mistakes, blunders)}`, y + line - 6));
    y += line;
  }
  return pictureOf(Math.ceil(y + gap), parts);
}

/**
 * Renders a picture as PNG.
 * @param {SVGSVGElement} picture
 */
export async function toPng(picture) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(picture))}`;
  await image.decode();
  const [width, height] = ["width", "height"].map((name) => PICTURE_SCALE * Number(picture.getAttribute(name)));
  const canvas = html("canvas", { width, height });
  canvas.getContext("2d")?.drawImage(image, 0, 0, width, height);
  return new Promise((resolve) => {
    canvas.toBlob(resolve, "image/png");
  });
}

/**
 * @param {SVGSVGElement} picture
 * @param {string} name
 */
async function savePicture(picture, name) {
  await unlessStopped(() => true, async () => download(await toPng(picture), `${name}.png`));
}

export function listenToPictures() {
  byId("save-picture").addEventListener("click", () => savePicture(boardPicture(), "otrera-board"));
  byId("save-review").addEventListener("click", () => savePicture(reviewPicture(), "otrera-review"));
}
