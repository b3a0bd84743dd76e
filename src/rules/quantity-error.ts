import type { Hint } from "../base/settings.ts";
import { cleanText } from "../base/text.ts";

/** A quantity that does not say what the metric needs; `hint` is what does. */
export class QuantityError extends Error {
  override readonly name = "QuantityError";
  constructor(
    message: string,
    readonly hint: Hint = {},
  ) {
    super(message);
  }
}

/** A text from the user's file as a message may show it. */
export function shown(text: string): string {
  return `"${cleanText(text, 60)}"`;
}
