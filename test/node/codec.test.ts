import fc from "fast-check";
import {
  decodeFunctionData,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  encodeFunctionResult,
  encodePacked,
  type Hex,
  keccak256,
  multicall3Abi,
  parseAbi,
  parseAbiParameters,
  toEventSelector,
  toFunctionSelector,
} from "viem";
import { describe, expect, it } from "vitest";
import {
  aggregateData,
  balanceOfData,
  extsloadData,
  readAggregate,
  SELECTORS,
} from "../../src/chain/codec/calls.ts";
import {
  type ChainLog,
  readLiquidityChange,
  readSwap,
  readTransfer,
  TOPICS,
} from "../../src/chain/codec/events.ts";
import { addressAt, intAt, textAt, uintAt, wordOf } from "../../src/chain/codec/words.ts";
import { poolBase, poolIdOf, positionSlot } from "../../src/chain/state/v4-slots.ts";

/** viem, which is used nowhere else, judges what is written and read by hand, on random values. */

const RUNS = { numRuns: 300 };
const uint = (bits: number) => fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n });
const int = (bits: number) =>
  fc.bigInt({ min: -(1n << BigInt(bits - 1)), max: (1n << BigInt(bits - 1)) - 1n });
const hexOf = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((all): Hex => `0x${Buffer.from(all).toString("hex")}`);
const address = hexOf(20);
const word = hexOf(32);
const data = fc
  .uint8Array({ maxLength: 130 })
  .map((all): Hex => `0x${Buffer.from(all).toString("hex")}`);
const tick = int(24).map(Number);

const EVENTS = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)",
]);
const V4_EVENTS = parseAbi([
  "event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)",
  "event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)",
]);

function logOf(topics: readonly unknown[], body: Hex): ChainLog {
  return {
    address: `0x${"0".repeat(40)}`,
    topics: topics.map(String),
    data: body,
    block: 1,
    blockHash: `0x${"0".repeat(64)}`,
    transaction: `0x${"0".repeat(64)}`,
    index: 0,
    time: null,
    removed: false,
  };
}

describe("selectors and topics", () => {
  it.each([
    ["totalSupply()", SELECTORS.totalSupply],
    ["balanceOf(address)", SELECTORS.balanceOf],
    ["ownerOf(uint256)", SELECTORS.ownerOf],
    ["observe(uint32[])", SELECTORS.observe],
    ["extsload(bytes32[])", SELECTORS.extsload],
    ["poolKeys(bytes25)", SELECTORS.poolKeys],
    ["aggregate3((address,bool,bytes)[])", SELECTORS.aggregate3],
  ])("%s", (signature, selector) => {
    expect(selector).toBe(toFunctionSelector(signature));
  });

  it("of events", () => {
    expect(TOPICS.transfer).toBe(toEventSelector(EVENTS[0]));
    expect(TOPICS.v3Swap).toBe(toEventSelector(EVENTS[1]));
    expect(TOPICS.v4Swap).toBe(toEventSelector(V4_EVENTS[0]));
    expect(TOPICS.v4ModifyLiquidity).toBe(toEventSelector(V4_EVENTS[1]));
  });
});

describe("calls", () => {
  it("of one and of many are written as viem writes them", () => {
    const abi = parseAbi([
      "function balanceOf(address) view returns (uint256)",
      "function extsload(bytes32[]) view returns (bytes32[])",
    ]);
    fc.assert(
      fc.property(address, fc.array(word, { maxLength: 12 }), (wallet, slots) => {
        expect(balanceOfData(wallet)).toBe(
          encodeFunctionData({ abi, functionName: "balanceOf", args: [wallet] }),
        );
        expect(extsloadData(slots.map((slot) => slot.slice(2)))).toBe(
          encodeFunctionData({ abi, functionName: "extsload", args: [slots] }),
        );
      }),
      RUNS,
    );
  });

  it("of a multicall, and its answers", () => {
    const call = fc.record({ to: address, data });
    fc.assert(
      fc.property(
        fc.array(call, { maxLength: 8 }),
        fc.array(fc.tuple(fc.boolean(), data), { maxLength: 8 }),
        (calls, results) => {
          const { args } = decodeFunctionData({
            abi: multicall3Abi,
            data: aggregateData(calls) as Hex,
          });
          expect(
            (args[0] as readonly { target: Hex; callData: Hex; allowFailure: boolean }[]).map(
              (one) => ({
                to: one.target.toLowerCase(),
                data: one.callData,
                allowFailure: one.allowFailure,
              }),
            ),
          ).toEqual(calls.map((one) => ({ ...one, allowFailure: true })));
          const answer = encodeFunctionResult({
            abi: multicall3Abi,
            functionName: "aggregate3",
            result: results.map(([success, returnData]) => ({ success, returnData })),
          });
          expect(readAggregate(answer, results.length)).toEqual(
            results.map(([success, returnData]) => (success ? returnData : null)),
          );
          expect(readAggregate(answer, results.length + 1)).toBeNull();
        },
      ),
      RUNS,
    );
  });

  it("read words and texts as viem wrote them", () => {
    const types = parseAbiParameters("uint256, int256, address, string");
    const text = fc.string({ unit: "grapheme", maxLength: 60 });
    fc.assert(
      fc.property(uint(256), int(256), address, text, (whole, signed, who, said) => {
        const answer = encodeAbiParameters(types, [whole, signed, who, said]);
        expect([
          uintAt(answer, 0),
          intAt(answer, 1),
          addressAt(answer, 2),
          textAt(answer, 3),
        ]).toEqual([whole, signed, who, said]);
        const abi = parseAbi(["function f() view returns (int256)"]);
        const own = decodeFunctionResult({ abi, functionName: "f", data: `0x${wordOf(signed)}` });
        expect(own).toBe(signed);
      }),
      RUNS,
    );
  });
});

describe("logs", () => {
  it("of transfers and V3 swaps are read as viem wrote them", () => {
    const types = parseAbiParameters("int256, int256, uint160, uint128, int24");
    fc.assert(
      fc.property(
        address,
        address,
        int(256),
        int(256),
        uint(160),
        uint(128),
        tick,
        (a, b, x, y, price, liquidity, at) => {
          const transfer = logOf(
            encodeEventTopics({ abi: EVENTS, eventName: "Transfer", args: { from: a, to: b } }),
            encodeAbiParameters(parseAbiParameters("uint256"), [price]),
          );
          expect(readTransfer(transfer)).toEqual({ from: a, to: b, value: price });
          const swap = logOf(
            encodeEventTopics({
              abi: EVENTS,
              eventName: "Swap",
              args: { sender: a, recipient: b },
            }),
            encodeAbiParameters(types, [x, y, price, liquidity, at]),
          );
          expect(readSwap(swap)).toEqual({
            sender: a,
            recipient: b,
            amount0: x,
            amount1: y,
            sqrtPriceX96: price,
            liquidity,
            tick: at,
            fee: null,
          });
        },
      ),
      RUNS,
    );
  });

  it("of V4 swaps and changes of liquidity likewise, swaps from the pool's side", () => {
    const swaps = parseAbiParameters("int128, int128, uint160, uint128, int24, uint24");
    const changes = parseAbiParameters("int24, int24, int256, bytes32");
    fc.assert(
      fc.property(
        word,
        address,
        int(128),
        int(128),
        uint(160),
        uint(128),
        tick,
        tick,
        (id, who, x, y, price, liquidity, at, other) => {
          const fee = Math.abs(other) % 1_000_000;
          const swap = logOf(
            encodeEventTopics({ abi: V4_EVENTS, eventName: "Swap", args: { id, sender: who } }),
            encodeAbiParameters(swaps, [x, y, price, liquidity, at, fee]),
          );
          expect(readSwap(swap)).toEqual({
            sender: who,
            recipient: null,
            amount0: -x,
            amount1: -y,
            sqrtPriceX96: price,
            liquidity,
            tick: at,
            fee,
          });
          const change = logOf(
            encodeEventTopics({
              abi: V4_EVENTS,
              eventName: "ModifyLiquidity",
              args: { id, sender: who },
            }),
            encodeAbiParameters(changes, [at, other, x, id]),
          );
          expect(readLiquidityChange(change)).toEqual({
            sender: who,
            lower: at,
            upper: other,
            delta: x,
            salt: id,
          });
        },
      ),
      RUNS,
    );
  });
});

describe("slots of a V4 pool manager", () => {
  it("are hashed as the contracts do", () => {
    const key = parseAbiParameters("address, address, uint24, int24, address");
    fc.assert(
      fc.property(
        address,
        address,
        uint(24),
        tick,
        address,
        word,
        tick,
        (a, b, fee, spacing, hooks, salt, upper) => {
          const id = keccak256(encodeAbiParameters(key, [a, b, Number(fee), spacing, hooks]));
          expect(
            poolIdOf({ currency0: a, currency1: b, fee: Number(fee), tickSpacing: spacing, hooks }),
          ).toBe(id);
          const pair = parseAbiParameters("bytes32, uint256");
          const base = BigInt(keccak256(encodeAbiParameters(pair, [id, 6n])));
          expect(poolBase(id)).toBe(base);
          const own = keccak256(
            encodePacked(["address", "int24", "int24", "bytes32"], [a, spacing, upper, salt]),
          );
          const positions = (base + 6n) & ((1n << 256n) - 1n);
          const slot = keccak256(encodeAbiParameters(pair, [own, positions]));
          expect(`0x${positionSlot(base, a, spacing, upper, salt.slice(2))}`).toBe(slot);
        },
      ),
      RUNS,
    );
  });
});
