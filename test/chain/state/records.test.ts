import { expect, it } from "vitest";
import type { Header } from "../../../src/chain/codec/blocks.ts";
import { Records } from "../../../src/chain/state/records.ts";

const at = (number: number): Header => ({
  number,
  hash: `0x${number}`,
  parent: "0x",
  time: number * 12_000,
  baseFee: null,
  gasUsed: 0n,
  gasLimit: 0n,
});

it("gives the record of the same facts again, and of no others", () => {
  const records = new Records<{ readonly n: number }>();
  const token = { decimals: 6 };
  const made = { n: 1 };
  records.put("a", ["0f", null, token, 1.5], 10, made);
  // A text that is a part of a larger one is the same text.
  expect(records.get("a", ["x0fx".slice(1, 3), null, token, 1.5], at(11))).toBe(made);
  expect(records.last("a")).toBe(made);
  for (const facts of [
    ["0e", null, token, 1.5],
    ["0f", "0x", token, 1.5],
    ["0f", null, { decimals: 6 }, 1.5],
    ["0f", null, token, null],
  ]) {
    expect(records.get("a", facts, at(11))).toBeUndefined();
  }
  expect(records.get("b", ["0f", null, token, 1.5], at(11))).toBeUndefined();
});

it("makes a record anew at a block before the one since which it is so, as after a reorg", () => {
  const records = new Records<string>();
  records.put("a", ["0f"], 10, "since block 10");
  expect(records.get("a", ["0f"], at(10))).toBe("since block 10");
  expect(records.get("a", ["0f"], at(9))).toBeUndefined();
});
