import type { Notice } from "../model/index.ts";

/** The action of a message's button, by the beginning of the data that Telegram sends when it is pressed. */
export const BUTTONS = [
  { word: "ack", text: "Acknowledge", silenceMs: null },
  { word: "s1h", text: "Silence 1 h", silenceMs: 3_600_000 },
  { word: "s8h", text: "Silence 8 h", silenceMs: 28_800_000 },
] as const;

/** Alerts that fire can be acknowledged and silenced, events and the like silenced alone. */
const WITH_ACK: ReadonlySet<Notice["kind"]> = new Set(["fired", "worse", "reminder"]);
const WITH_SILENCE: ReadonlySet<Notice["kind"]> = new Set([
  ...WITH_ACK,
  "no_data",
  "changed",
  "flapping",
]);

/** The buttons under a notice, or a message of several; null: there is nothing to do about it. */
export function buttonsOf({ id, kind }: Pick<Notice, "id" | "kind">): object | null {
  if (!WITH_SILENCE.has(kind)) return null;
  const row = BUTTONS.filter(({ word }) => word !== "ack" || WITH_ACK.has(kind)).map(
    ({ word, text }) => ({ text, callback_data: `${word}:${id}` }),
  );
  return { inline_keyboard: [row] };
}

/** The button that was pressed, and the notice or message that it is under; null: it is none of ours. */
export function pressOf(
  data: string,
): { readonly button: (typeof BUTTONS)[number]; readonly id: string } | null {
  const found = /^([a-z0-9]{1,8}):([0-9a-f]{8,64})$/.exec(data);
  const button = BUTTONS.find(({ word }) => word === found?.[1]);
  const id = found?.[2];
  return button === undefined || id === undefined ? null : { button, id };
}
