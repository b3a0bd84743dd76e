import { createHash } from "node:crypto";

/**
 * The id of the message that tells a channel of these notices, in this order: the same for the same
 * ones, so that freezing them twice makes one message. 24 hexadecimal digits.
 */
export function messageId(channel: string, notices: readonly string[]): string {
  const facts = JSON.stringify([channel, ...notices]);
  return createHash("sha256").update(facts).digest("hex").slice(0, 24);
}
