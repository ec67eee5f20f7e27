// Creates elements. Text is always inserted as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/** Creates an HTML element with attributes and children. Omits attributes that are null or false. */
export function html(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** Creates an SVG element with attributes and children, like `html`. */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

export function byId(id) {
  return document.getElementById(id);
}

export const SIDES = ["black", "white"];

/** Returns the opponent of a side. */
export function opponentOf(side) {
  return SIDES[1 - SIDES.indexOf(side)];
}

/** Returns the drawing of a side's amazon: a round shield for Black, a pointed one for White. */
export function piece(side) {
  const shield = side === "black"
    ? svg("circle", { class: "shield", r: 3.9 })
    : svg("path", { class: "shield", d: "M0-4.5 4.1-1.9V2L0 4.5-4.1 2V-1.9z" });
  const crown = svg("path", {
    class: "crown",
    d: "M-2.2 1.9H2.2L2.7-1.1 1.2.1 0-2.1-1.2.1-2.7-1.1z",
  });
  return svg("g", { class: `amazon ${side}` }, shield, crown);
}

/** Returns a side's amazon as a small picture for running text. */
export function icon(side) {
  return svg("svg", { class: "icon", viewBox: "-5 -5 10 10", "aria-hidden": "true" }, piece(side));
}

export function percent(share, digits = 1) {
  return `${(100 * share).toFixed(digits)} %`;
}

/** Formats a rating with its sign, + or a true minus sign. */
function signed(number) {
  const rounded = Math.round(number);
  return rounded > 0 ? `+${rounded}` : rounded < 0 ? `−${-rounded}` : "0";
}

function duration(seconds) {
  if (seconds < 0.001) return "under 1 ms";
  return seconds < 0.1 ? `${Math.round(1000 * seconds)} ms` : `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
}

function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** Scrolls only this list until the element is visible, or to the top without an element. */
export function keepInView(list, element) {
  if (!element) {
    list.scrollTop = 0;
    return;
  }
  const [outer, inner] = [list.getBoundingClientRect(), element.getBoundingClientRect()];
  if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top + inner.height;
  if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom + inner.height;
}
