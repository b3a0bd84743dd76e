import { describe, expect, it } from "vitest";
import { SELECTORS } from "../../../src/chain/codec/calls.ts";
import { wordOf } from "../../../src/chain/codec/words.ts";
import { feedPrice } from "../../../src/chain/prices/prices.ts";
import type { BlockReader } from "../../../src/chain/state/block-reader.ts";

const NOW = 1_795_000_000;

function readerOf(answer: bigint, updated: number, decimals = 8): BlockReader {
  const round = `0x${[7n, answer, 0n, BigInt(updated), 7n].map(wordOf).join("")}`;
  const call = async (_: string, data: string) =>
    data === SELECTORS.decimals ? `0x${wordOf(decimals)}` : round;
  return { header: { time: NOW * 1_000 }, call } as unknown as BlockReader;
}

describe("a price feed", () => {
  it("says dollars for one token", async () => {
    expect(await feedPrice(readerOf(207_612_345_678n, NOW - 60), "0x")).toBe(2_076.12345678);
  });

  it.each([
    ["nothing", 0n, NOW],
    ["less than nothing", -5n, NOW],
    ["what is older than a day and an hour", 100n, NOW - 90_001],
  ])("is not believed where it says %s", async (_, answer, updated) => {
    expect(await feedPrice(readerOf(answer, updated), "0x")).toBeNull();
  });
});
