// Lists, dialogs and texts of the page.

import { byId, html } from "shared/elements.js";

/**
 * Fills a selection list and chooses one of its values.
 * @param {Selects} id
 * @param {[string | number, string][]} values
 * @param {unknown} chosen
 */
export function options(id, values, chosen) {
  byId(id).replaceChildren(...values.map(([value, text]) => html("option", { value, selected: String(value) === String(chosen) }, text)));
}

/**
 * Fills an element with a row of radio buttons. The text of an option is a string or a list of elements.
 * @template {string | number} Value
 * @param {Others} id
 * @param {string} name
 * @param {[Value, string | Node[]][]} options
 * @param {Value | undefined} value
 * @param {(option: Value) => void} chosen
 */
export function choices(id, name, options, value, chosen) {
  const holder = byId(id);
  const hadFocus = holder.contains(document.activeElement);
  holder.replaceChildren(...options.map(([option, text]) => html("label", { class: "choice" },
    html("input", { type: "radio", name: `${id}-${name}`, value: option, checked: option === value, onchange: () => chosen(option) }),
    ...[text].flat())));
  if (hadFocus) /** @type {HTMLElement | null} */ (holder.querySelector(":checked"))?.focus();
}

/**
 * Opens a dialog. Its answer stays empty if Escape closes the dialog.
 * @param {Dialogs} id
 */
export function ask(id) {
  byId(id).returnValue = "";
  byId(id).showModal();
}

/**
 * Scrolls to the board and moves the keyboard focus to the title of a panel beside it.
 * @param {Others} title
 */
export function goToPanel(title) {
  document.querySelector(".table")?.scrollIntoView();
  byId(title).focus({ preventScroll: true });
}

/**
 * Writes a text without line breaks inside moves and percentages. Skips an unchanged text, because screen readers would repeat it.
 * @param {keyof Elements} id
 * @param {string} text
 */
export function write(id, text) {
  if (byId(id).textContent === text) return;
  const parts = text.split(/([a-z]\d+-[a-z]\d+\/[a-z]\d+|[\d.]+ %)/);
  byId(id).replaceChildren(...parts.map((part, index) => (index % 2 === 1 ? html("span", { class: "unbroken" }, part) : part)));
}

/**
 * Replaces the content of a list of buttons; the keyboard focus stays in place.
 * @param {HTMLElement} list
 * @param {HTMLElement[]} children
 */
export function replaceButtons(list, children) {
  const before = [...list.querySelectorAll("button")];
  const place = before.findIndex((button) => button === document.activeElement);
  list.replaceChildren(...children);
  if (place < 0) return;
  // Finds the focused button again by its data, because buttons may have been inserted before it.
  const key = JSON.stringify(before[place].dataset);
  const buttons = [...list.querySelectorAll("button")];
  const same = buttons.find(({ dataset }) => key !== "{}" && JSON.stringify(dataset) === key);
  (same ?? buttons[place])?.focus({ preventScroll: true });
}

/**
 * Formats a time on a clock: 14:05, or −0:03 after the flag has fallen.
 * @param {number} seconds
 */
export function clockText(seconds) {
  const whole = Math.abs(Math.floor(seconds));
  return `${seconds < 0 ? "−" : ""}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
