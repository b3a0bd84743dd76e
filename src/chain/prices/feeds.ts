import { pow10 } from "../../base/decimal.ts";
import { SELECTORS } from "../codec/calls.ts";
import { intAt, smallIntAt } from "../codec/words.ts";
import type { BlockReader } from "../state/block-reader.ts";
import { quotient } from "../state/price.ts";

/** A feed that has said nothing for so long (ms) is not believed: the slowest are meant to speak once a day. */
const LONGEST_SILENCE_MS = 25 * 3_600_000;

/**
 * Dollars for one token, as a feed of Chainlink's form has it; null where its answer is not above zero or is
 * too old. Rejects with RpcError.
 */
export async function feedPrice(reader: BlockReader, feed: string): Promise<number | null> {
  const [round, scale] = await Promise.all([
    reader.call(feed, SELECTORS.latestRoundData),
    reader.call(feed, SELECTORS.decimals),
  ]);
  if (round === null || scale === null) return null;
  const [answer, updated] = [intAt(round, 1), smallIntAt(round, 3)];
  const decimals = smallIntAt(scale, 0);
  if (answer === null || answer <= 0n || updated === null || decimals === null) return null;
  if (decimals < 0 || decimals > 36) return null;
  if (reader.header.time - updated * 1_000 > LONGEST_SILENCE_MS) return null;
  return quotient(answer, pow10(decimals));
}
