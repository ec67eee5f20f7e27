// Creates elements. Text is always inserted as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Creates an HTML element with attributes and children. Omits attributes that are null or false.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} attributes
 * @param {...Content} children
 */
export function html(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/**
 * Creates an SVG element with attributes and children, like `html`.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} attributes
 * @param {...Content} children
 */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

/**
 * @template {Element} Kind
 * @param {Kind} element
 * @param {Attributes} attributes
 * @param {Content[]} children
 */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), (event) => value(event));
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child != null).map((child) => (typeof child === "number" ? String(child) : child)));
  return element;
}

/**
 * Returns the element of the page with this id.
 * @template {keyof Elements} Id
 * @param {Id} id
 */
export function byId(id) {
  return /** @type {Elements[Id]} */ (document.getElementById(id));
}

/**
 * Returns the elements that have an attribute.
 * @param {string} attribute
 * @returns {NodeListOf<HTMLElement>}
 */
export function elementsWith(attribute) {
  return document.querySelectorAll(`[${attribute}]`);
}

/**
 * Returns the target of an event of the page.
 * @param {Event} event
 */
export function targetOf({ target }) {
  return /** @type {HTMLElement} */ (target);
}

/** @type {[Side, Side]} */
export const SIDES = ["black", "white"];

/**
 * Returns the opponent of a side.
 * @param {Side} side
 */
export function opponentOf(side) {
  return SIDES[1 - SIDES.indexOf(side)];
}

/**
 * Returns the drawing of a side's amazon: a round shield for Black, a pointed one for White.
 * @param {Side} side
 */
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

/**
 * Returns a side's amazon as a small picture for running text.
 * @param {Side} side
 */
export function icon(side) {
  return svg("svg", { class: "icon", viewBox: "-5 -5 10 10", "aria-hidden": "true" }, piece(side));
}

/**
 * @param {number} share
 * @param {number} [digits]
 */
export function percent(share, digits = 1) {
  return `${(100 * share).toFixed(digits)} %`;
}

/**
 * Scrolls only this list until the element is visible, or to the top without an element.
 * @param {HTMLElement} list
 * @param {Element | null} element
 */
export function keepInView(list, element) {
  if (!element) {
    list.scrollTop = 0;
    return;
  }
  const [outer, inner] = [list.getBoundingClientRect(), element.getBoundingClientRect()];
  if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top + inner.height;
  if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom + inner.height;
}
