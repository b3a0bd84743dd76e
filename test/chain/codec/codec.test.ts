import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aggregateData, readAggregate, SELECTORS } from "../../../src/chain/codec/calls.ts";
import {
  type ChainLog,
  readLog,
  readSwap,
  readTransfer,
  TOPICS,
} from "../../../src/chain/codec/events.ts";
import {
  addressAt,
  bytesAt,
  intAt,
  textAt,
  tickIn,
  uintAt,
  wordOf,
  wordOfAddress,
} from "../../../src/chain/codec/words.ts";
import { poolIdOf } from "../../../src/chain/state/v4-slots.ts";
import { propertyRuns } from "../../support/tier.ts";

const WORD = 1n << 256n;

describe("words", () => {
  it("give back every number that they hold", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(WORD >> 1n), max: (WORD >> 1n) - 1n }), (value) => {
        const data = `0x${wordOf(7)}${wordOf(value)}`;
        expect(intAt(data, 1)).toBe(value);
        expect(uintAt(data, 1)).toBe(value < 0n ? value + WORD : value);
        expect(uintAt(data, 2)).toBeNull();
      }),
      { numRuns: propertyRuns(400) },
    );
  });

  it("hold nothing larger", () => {
    expect(() => wordOf(WORD)).toThrow(RangeError);
    expect(() => wordOf(-(WORD >> 1n) - 1n)).toThrow(RangeError);
  });

  it("are null where the data ends, as where a contract has no code", () => {
    expect([uintAt("0x", 0), intAt("0x", 0), addressAt("0x", 0), textAt("0x", 0)]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  it("read packed ticks", () => {
    const packed = BigInt(`0x${wordOf(-887_272).slice(-6)}${"0".repeat(10)}`);
    expect(tickIn(packed, 40)).toBe(-887_272);
  });

  it("read texts of both forms, and none that claims more than there is", () => {
    const text = Buffer.from("Tether USD").toString("hex");
    const dynamic = `0x${wordOf(32)}${wordOf(10)}${text.padEnd(64, "0")}`;
    const fixed = `0x${Buffer.from("MKR").toString("hex").padEnd(64, "0")}`;
    expect([textAt(dynamic, 0), textAt(fixed, 0)]).toEqual(["Tether USD", "MKR"]);
    expect(textAt(`0x${wordOf(32)}${wordOf(1_000)}${text}`, 0)).toBeNull();
    expect(bytesAt(`0x${wordOf(WORD - 1n)}${wordOf(1)}`, 0)).toBeNull();
  });
});

describe("calls", () => {
  it("have the selectors of their functions", () => {
    expect(SELECTORS).toMatchObject({
      balanceOf: "0x70a08231",
      totalSupply: "0x18160ddd",
      ownerOf: "0x6352211e",
      extsload: "0xdbd035ff",
      poolKeys: "0x86b6be7d",
      positionInfo: "0x7ba03aad",
      aggregate3: "0x82ad56cb",
    });
  });

  it("give up on an answer of another length", () => {
    expect(readAggregate("0x", 1)).toBeNull();
    expect(readAggregate(`0x${wordOf(32)}${wordOf(2)}${wordOf(64)}`, 2)).toBeNull();
    expect(aggregateData([]).length).toBe(2 + 8 + 128);
  });
});

describe("a pool's id", () => {
  it("is the hash of its key", () => {
    expect(
      poolIdOf({
        currency0: `0x${"0".repeat(40)}`,
        currency1: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
        fee: 500,
        tickSpacing: 10,
        hooks: `0x${"0".repeat(40)}`,
      }),
    ).toBe("0x21c67e77068de97969ba93d4aab21826d33ca12bb9f565d8496e8fda8a82ca27");
  });
});

describe("events", () => {
  const log = (topics: readonly string[], data: string): ChainLog => ({
    address: `0x${"11".repeat(20)}`,
    topics,
    data,
    block: 1,
    blockHash: `0x${"22".repeat(32)}`,
    transaction: `0x${"33".repeat(32)}`,
    index: 0,
    time: null,
    removed: false,
  });
  const alice = `0x${"aa".repeat(20)}`;
  const bob = `0x${"bb".repeat(20)}`;

  it("have the topics of V4", () => {
    expect(TOPICS.v4Swap).toMatch(/^0x40e9cecb/);
    expect(TOPICS.v4ModifyLiquidity).toMatch(/^0xf208f491/);
  });

  it("tell a swap's amounts from the pool's side in both versions", () => {
    const amounts = wordOf(-5) + wordOf(7) + wordOf(1n << 96n) + wordOf(9) + wordOf(-60);
    const [from, to] = [`0x${wordOfAddress(alice)}`, `0x${wordOfAddress(bob)}`];
    const v3 = readSwap(log([TOPICS.v3Swap, from, to], `0x${amounts}`));
    expect(v3).toMatchObject({
      sender: alice,
      recipient: bob,
      amount0: -5n,
      amount1: 7n,
      tick: -60,
    });
    const id = `0x${"44".repeat(32)}`;
    const v4 = readSwap(log([TOPICS.v4Swap, id, from], `0x${amounts}${wordOf(3_000)}`));
    expect(v4).toMatchObject({
      sender: alice,
      recipient: null,
      amount0: 5n,
      amount1: -7n,
      fee: 3_000,
    });
  });

  it("tell an NFT's id as a transfer's value", () => {
    const [from, to] = [`0x${wordOfAddress(alice)}`, `0x${wordOfAddress(bob)}`];
    const nft = log([TOPICS.transfer, from, to, `0x${wordOf(42)}`], "0x");
    expect(readTransfer(nft)).toEqual({ from: alice, to: bob, value: 42n });
    expect(readTransfer(log([TOPICS.transfer, from, to], "0x"))).toBeNull();
  });

  it("are no logs where a node tells nonsense", () => {
    for (const value of [null, {}, { topics: ["0x12"], data: "0x" }, { topics: "0x" }]) {
      expect(readLog(value)).toBeNull();
    }
  });
});
