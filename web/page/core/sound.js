// A knock for each move that is played or announced; off by default.

import { byId } from "shared/elements.js";
import { settings } from "page/core/text.js";

/** The knock: pitch in Hz, loudness from 0 to 1, duration in seconds. */
const KNOCK = { pitch: 220, loudness: 0.3, seconds: 0.12 };

export const sound = {
  active: settings.get("sound") === "on",
  /** @type {AudioContext | null} */
  context: null,

  knock() {
    if (!this.active) return;
    this.context ??= new AudioContext();
    const { context } = this;
    // Browsers suspend sound until somebody has clicked on the page.
    context.resume();
    const { currentTime: begin, destination } = context;
    const end = begin + KNOCK.seconds;
    const [tone, gain] = [context.createOscillator(), context.createGain()];
    tone.frequency.setValueAtTime(KNOCK.pitch, begin);
    tone.frequency.exponentialRampToValueAtTime(KNOCK.pitch / 4, end);
    gain.gain.setValueAtTime(KNOCK.loudness, begin);
    gain.gain.exponentialRampToValueAtTime(0.001, end);
    tone.connect(gain).connect(destination);
    tone.start(begin);
    tone.stop(end);
  },

  toggle() {
    this.active = !this.active;
    settings.set("sound", this.active ? "on" : "off");
    this.draw();
    this.knock();
  },

  draw() {
    byId("sound").setAttribute("aria-pressed", String(this.active));
  },

  listen() {
    this.draw();
    byId("sound").addEventListener("click", () => this.toggle());
  },
};
