import { describe, expect, it } from "vitest";
import { holders } from "../../../src/kinds/holders.ts";
import type { Entry, Reading, WatchKind } from "../../../src/kinds/kind.ts";
import { v3Swaps } from "../../../src/kinds/v3-swaps.ts";
import { v4Liquidity } from "../../../src/kinds/v4-liquidity.ts";
import { v4Swaps } from "../../../src/kinds/v4-swaps.ts";
import type { Answer, Ask, RawRecord } from "../../../src/model/index.ts";
import { absent, failed, ok, POOL_ID, poolRecord } from "../../support/world.ts";

const POOL = `0x${"cd".repeat(20)}`;
const WETH = `0x${"e1".repeat(20)}`;
const USDC = `0x${"a1".repeat(20)}`;
const HASH = `0x${"12".repeat(32)}`;
const NOW = Date.UTC(2026, 10, 28);

const swap = (given: RawRecord = {}): RawRecord => ({
  transaction_hash: HASH,
  block_number: 7,
  timestamp: "2026-11-28T00:00:05Z",
  sender: `0x${"5E".repeat(20)}`,
  recipient: null,
  amount0: "-500000000000000000",
  amount1: "1043000000",
  sqrt_price_x96: "1",
  tick: 1,
  liquidity: "1",
  ...given,
});

/** Reads what is new in a list that was empty, with all else that is asked for answered. */
function readNew(
  kind: WatchKind,
  list: RawRecord[],
  records: Readonly<Partial<Record<Ask["record"], Answer>>>,
) {
  const id = kind === v3Swaps ? POOL : POOL_ID;
  const subject = kind.subject({ chainId: 1, id, protocol: null, name: null });
  const answersOf =
    (entries: RawRecord[]) =>
    (ask: Ask): Answer | undefined =>
      kind.records.includes(ask.record) ? ok(...entries) : records[ask.record];
  const first = kind.read(subject, answersOf([]), NOW, null);
  const { cursor } = first.stream ?? { cursor: null };
  return kind.read(subject, answersOf(list), NOW, cursor);
}

const value = (entry: Entry | undefined, name: string): string | null =>
  entry?.value(name)?.toString() ?? null;
const only = ({ stream }: Reading): Entry | undefined => stream?.entries[0];

describe("an entry of a V4 pool's swaps", () => {
  const read = (given: RawRecord = {}, pool: Answer | null = ok(poolRecord())): Reading =>
    readNew(v4Swaps, [swap(given)], pool === null ? {} : { v4_pool: pool });

  it("is the same one when its ids come in capitals", () => {
    const subject = v4Swaps.subject({ chainId: 1, id: POOL_ID, protocol: null, name: null });
    const readAt = (hash: string, cursor: string | null): Reading => {
      const answers = ({ record }: Ask): Answer =>
        record === "v4_swap" ? ok(swap({ transaction_hash: hash })) : ok(poolRecord());
      return v4Swaps.read(subject, answers, NOW, cursor);
    };
    const { stream } = readAt(`0x${"ab".repeat(32)}`, null);
    expect(stream).not.toBeNull();
    const cursor = stream?.cursor ?? null;
    expect(readAt(`0x${"AB".repeat(32)}`, cursor).stream?.entries).toEqual([]);
    expect(readAt(`0x${"cb".repeat(32)}`, cursor).stream?.entries).toHaveLength(1);
  });

  it("has its fields, its sizes, its worth and its direction", () => {
    const reading = read();
    const entry = only(reading);
    expect(value(entry, "amount0")).toBe("-500000000000000000");
    expect(value(entry, "amount0_abs")).toBe("500000000000000000");
    expect(value(entry, "amount1_abs")).toBe("1043000000");
    expect(value(entry, "amount_usd")).toBe("1043");
    expect(value(entry, "direction")).toBe("token1_in");
    expect(value(entry, "sender")).toBe(`0x${"5e".repeat(20)}`);
    expect(entry?.at).toBe(Date.UTC(2026, 10, 28, 0, 0, 5));
    expect(entry?.link).toBe(`https://etherscan.io/tx/${HASH}`);
    expect(reading.decimals("amount0_abs")).toBe(18);
    expect(reading.describe().unit("amount1_abs")).toBe("USDC");
  });

  it("is worth what came in, or what went out where only that has a price", () => {
    expect(value(only(read({ amount0: "1000000000000000000", amount1: "-1" })), "amount_usd")).toBe(
      "2086",
    );
    const unpriced = { ...poolRecord(), token1: { symbol: "X", decimals: 6, price: 0 } };
    expect(value(only(read({}, ok(unpriced))), "amount_usd")).toBe("1043");
    expect(value(only(read({}, null)), "amount_usd")).toBeNull();
  });

  it("has no direction where the signs do not say it", () => {
    for (const [amount0, amount1, way] of [
      ["+5", "-5", "token0_in"],
      ["0", "5", "token1_in"],
      ["5", "5", null],
      ["-5", "-5", null],
      ["0", "0", null],
      ["x", "5", null],
    ]) {
      expect(value(only(read({ amount0, amount1 })), "direction")).toBe(way);
    }
  });

  const refused: Answer = { status: "failed", failure: { reason: "refused", detail: "no" } };
  const unpriced = ok({ ...poolRecord(), token0: null, token1: null });

  it("is there at once, with why values are missing, whatever is answered for the pool", () => {
    for (const [answer, unanswered, trouble] of [
      [failed, "v4_pool", "timed out after 10 s"],
      [refused, null, "the pool: no"],
      [absent, null, "the pool: not in the answer"],
      [unpriced, null, "the decimals of token0 are not known"],
    ] as const) {
      const reading = read({}, answer);
      expect(reading.stream?.entries).toHaveLength(1);
      expect(reading).toMatchObject({ unanswered, trouble });
      expect(value(only(reading), "amount0_abs")).toBe("500000000000000000");
      expect(value(only(reading), "amount_usd")).toBeNull();
    }
    expect(read().trouble).toBeNull();
  });

  it("waits for the rules that could not be judged on it, and asks for the pool with the page", () => {
    const subject = v4Swaps.subject({ chainId: 1, id: POOL_ID, protocol: null, name: null });
    const answers = (pool: Answer) => (ask: Ask) => (ask.record === "v4_swap" ? ok(swap()) : pool);
    const reading = read({ recipient: POOL }, absent);
    const [entry] = reading.stream?.entries ?? [];
    expect(entry?.rules).toBeNull();
    const verdicts = [
      { rule: "usd", unjudged: [entry?.id ?? ""], judged: false, compares: false },
      { rule: "raw", unjudged: [], judged: true, compares: false },
    ];
    const settled = reading.stream?.settle?.(verdicts);
    expect(settled?.unjudged).toBeNull();
    const cursor = settled?.cursor ?? null;
    expect(v4Swaps.asks(subject, NOW, cursor).map(({ record }) => record)).toEqual([
      "v4_swap",
      "v4_pool",
    ]);
    const next = v4Swaps.read(subject, answers(ok(poolRecord())), NOW, cursor);
    expect(next.stream?.entries.map(({ rules }) => rules)).toEqual([["usd"]]);
    expect(value(only(next), "amount_usd")).toBe("1043");
    const done = next.stream?.settle?.([
      { rule: "usd", unjudged: [], judged: true, compares: false },
    ]);
    expect(v4Swaps.asks(subject, NOW, done?.cursor).map(({ record }) => record)).toEqual([
      "v4_swap",
    ]);
  });

  it("is followed by what it says, not by how it is written", () => {
    const subject = v4Swaps.subject({ chainId: 1, id: POOL_ID, protocol: null, name: null });
    const answers = (entry: RawRecord) => (ask: Ask) =>
      ask.record === "v4_swap" ? ok(entry) : undefined;
    const { stream } = v4Swaps.read(subject, answers(swap()), NOW, null);
    const same = swap({
      block_number: "7",
      amount1: "+1043000000",
      sender: `0x${"5e".repeat(20)}`,
      timestamp: "2026-11-28T01:00:05+01:00",
      unknown: 5,
    });
    const again = v4Swaps.read(subject, answers(same), NOW, stream?.cursor);
    expect(again.stream?.entries).toEqual([]);
    expect(again.stream?.cursor).toBe(stream?.cursor);
  });

  it("cannot be followed where no entry tells its block", () => {
    const reading = read({ block_number: null });
    expect(reading.stream).toBeNull();
    expect(reading.trouble).toBe("a page was not to be read");
  });
});

describe("an entry of a V3 pool's swaps", () => {
  it("knows the tokens by facts, and their prices", () => {
    const reading = readNew(v3Swaps, [swap()], {
      v3_pool: ok({ token0: WETH, token1: USDC, fee_tier: 500 }),
      token_info: ok({ symbol: "TKN", decimals: 6 }),
      token_price: ok({ current_price: { usd: 1.5 } }),
    });
    expect(value(only(reading), "amount_usd")).toBe("1564.5");
    expect(reading.describe().label).toBe("TKN/TKN 0.05%");
    const subject = v3Swaps.subject({ chainId: 1, id: POOL, protocol: null, name: null });
    const pool = ok({ token0: WETH, token1: USDC });
    const known = (ask: Ask): Answer | undefined => (ask.record === "v3_pool" ? pool : undefined);
    expect(v3Swaps.facts?.(subject, known).map(({ key }) => key)).toEqual([
      `v3_pool:1:${POOL}`,
      `token_info:1:${WETH}`,
      `token_info:1:${USDC}`,
    ]);
  });
});

describe("an entry of a pool's liquidity", () => {
  let block = 0;
  const change = (delta: string, given: RawRecord = {}): RawRecord => {
    block += 1;
    return {
      id: `${POOL_ID}-${block}`,
      liquidity_delta: delta,
      tick_lower: -200_000,
      tick_upper: -199_000,
      hash: HASH,
      tx_at_block_number: String(block),
      tx_at_timestamp: "1795000000",
      sender: POOL,
      ...given,
    };
  };
  const read = (list: RawRecord[], pool: RawRecord | null): readonly Entry[] =>
    readNew(v4Liquidity, list, pool === null ? {} : { v4_pool: ok(pool) }).stream?.entries ?? [];
  const pool = (liquidity: string, given: RawRecord = {}): RawRecord =>
    poolRecord({ liquidity, block_number: "1000000", ...given });

  it("tells the share of the active liquidity that each removal took, reckoned back from now", () => {
    // 1,000 were there; 200 went, then 300 came, then 440 of 1,100 went.
    const entries = read([change("-440"), change("300"), change("-200")].toReversed(), pool("660"));
    const shares = entries.map((entry) => value(entry, "removed_share"));
    // The last of the list is the latest block.
    expect(shares).toHaveLength(3);
    const sorted = read([change("-200"), change("300"), change("-440")], pool("660"));
    expect(sorted.map((entry) => value(entry, "removed_share"))).toEqual(["0.2", "0", "0.4"]);
  });

  it("is no share of what is active where its range does not hold the price", () => {
    const [entry] = read([change("-200", { tick_upper: -199_890 })], pool("660"));
    expect(value(entry, "removed_share")).toBe("0");
    const [at] = read([change("-200", { tick_lower: -199_890 })], pool("600"));
    expect(value(at, "removed_share")).toBe("0.25");
  });

  it("is not known without the pool, but for what was added", () => {
    const [removed, added] = read([change("-1"), change("1")], null);
    expect(value(removed, "removed_share")).toBeNull();
    expect(value(removed, "removed_usd")).toBeNull();
    expect(value(added, "removed_share")).toBe("0");
    expect(value(added, "removed_usd")).toBe("0");
  });

  it("counts a change that the pool's record does not know of yet from the record on", () => {
    const [entry] = read([change("-200")], pool("1000", { block_number: "0" }));
    expect(value(entry, "removed_share")).toBe("0.2");
  });

  it("tells what was removed in dollars, exactly what the liquidity held", () => {
    const [entry] = read(
      [change("-1000000000000000", { tick_lower: -199_900, tick_upper: -199_880 })],
      pool("5000000000000000"),
    );
    const usd = Number(value(entry, "removed_usd"));
    expect(usd).toBeGreaterThan(0);
    expect(value(read([change("-1.5")], pool("5"))[0], "removed_share")).toBeNull();
  });
});

describe("the largest holders", () => {
  const TOKEN = `0x${"aa".repeat(20)}`;
  const wallet = (n: number): string => `0x${String(n).padStart(40, "0")}`;
  const subject = holders.subject({
    chainId: 1,
    id: TOKEN,
    protocol: null,
    name: null,
    options: { top: "2" },
  });
  const read = (
    list: readonly (readonly [number, unknown])[],
    cursor: string | null,
    supply: Answer = ok({ total_supply: "1000" }),
  ): Reading =>
    holders.read(
      subject,
      ({ record }) =>
        record === "holder"
          ? ok(...list.map(([n, balance]) => ({ wallet_address: wallet(n), balance })))
          : record === "supply"
            ? supply
            : undefined,
      NOW,
      cursor,
    );
  const start =
    read(
      [
        [1, "300"],
        [2, "200"],
        [3, "100"],
      ],
      null,
    ).stream?.cursor ?? null;
  const told = ({ stream }: Reading): string[] | undefined =>
    stream?.entries.map(
      (entry) =>
        `${entry.value("left") === true ? "left" : "entered"} ${value(entry, "wallet")?.slice(-1)} ${value(entry, "balance")} ${value(entry, "rank")}`,
    );

  it("are asked for with a few more, to see who is as rich as the last", () => {
    expect(holders.asks(subject, NOW).map(({ record, limit }) => [record, limit])).toEqual([
      ["holder", 12],
      ["supply", undefined],
    ]);
  });

  it("are told as they enter and leave, whatever order the answer is in", () => {
    expect(
      told(
        read(
          [
            [3, "250"],
            [2, "200"],
            [1, "300"],
            [1, "300"],
          ],
          start,
        ),
      ),
    ).toEqual(["left 2 200 2", "entered 3 250 2"]);
    expect(told(read([[1, "1000"]], start))).toEqual(["left 2 200 2"]);
  });

  it("make no noise at the edge while they are equally rich", () => {
    expect(
      told(
        read(
          [
            [3, "200"],
            [1, "300"],
            [2, "200"],
          ],
          start,
        ),
      ),
    ).toEqual([]);
    // A page full of equal ones may end before the one that was on the list.
    const many = Array.from({ length: 11 }, (_, i) => [i + 10, "200"] as const);
    expect(told(read([[1, "300"], ...many], start))).toEqual([]);
  });

  it("hold a share of the supply", () => {
    const state = (reading: Reading, name: string): string | null =>
      reading.rows[0]?.value(name)?.toString() ?? null;
    const reading = read(
      [
        [1, "300"],
        [2, "200"],
        [3, "100"],
      ],
      null,
    );
    expect(state(reading, "top_share")).toBe("0.5");
    expect(state(reading, "largest_balance")).toBe("300");
    expect(state(reading, "smallest_balance")).toBe("200");
    expect(state(read([[1, "300"]], null, failed), "top_share")).toBeNull();
    expect(state(read([[1, "3000"]], null), "top_share")).toBeNull();
  });

  describe("in a list that is shorter than asked", () => {
    const state = (reading: Reading, name: string): string | null =>
      reading.rows[0]?.value(name)?.toString() ?? null;
    const all = [
      [1, "500"],
      [2, "300"],
      [3, "200"],
    ] as const;
    const before = read(all, null).stream?.cursor ?? null;

    it.each([
      ["only the first", [[1, "500"]]],
      ["the first many times over", Array.from({ length: 12 }, () => [1, "500"] as const)],
      ["without the first", [all[1], all[2]]],
      [
        "with others who hold nothing",
        [
          [1, "500"],
          [4, "0"],
          [5, "0"],
          [6, "0"],
        ],
      ],
      ["with more than there is", [[1, "1001"]]],
    ] as const)("have neither come nor gone: %s", (_, list) => {
      const reading = read(list, before);
      expect(reading.stream).toBeNull();
      expect(state(reading, "top_share")).toBeNull();
      expect(state(reading, "smallest_balance")).toBeNull();
      expect(reading.trouble).toMatch(/^the list is not whole: \d+ holders? ha/);
    });

    it("are compared with the last whole list once there is one again", () => {
      const cut = read([[1, "500"]], before);
      expect(cut.stream).toBeNull();
      const next = read(
        [
          [1, "500"],
          [4, "500"],
        ],
        before,
      );
      expect(told(next)).toEqual(["left 2 300 2", "entered 4 500 2"]);
    });

    it("do not begin with a part", () => {
      expect(read([[1, "500"]], null).stream).toBeNull();
      expect(read([[1, "1000"]], null).stream?.entries).toEqual([]);
      // Nor where it cannot be told whether it is one.
      expect(read([[1, "500"]], null, failed).stream).toBeNull();
      expect(read([[1, "500"]], null, absent).stream?.entries).toEqual([]);
    });

    it("have left where the supply is not known and nothing is missing of what they held", () => {
      for (const unknown of [absent, failed, ok({ total_supply: null })]) {
        expect(read([[1, "500"]], before, unknown).stream).toBeNull();
        expect(told(read([[1, "800"]], before, unknown))).toEqual(["left 2 300 2"]);
      }
    });

    it("have their largest balance where nobody is missing who held more", () => {
      expect(state(read([[1, "400"]], before), "largest_balance")).toBe("400");
      expect(state(read([[2, "300"]], before), "largest_balance")).toBeNull();
    });

    it("are as many as the service says that there are", () => {
      const of = (list: readonly (readonly [number, string])[], total: number): Reading =>
        holders.read(
          subject,
          ({ record }) =>
            record === "holder"
              ? {
                  status: "ok",
                  records: list.map(([n, balance]) => ({ wallet_address: wallet(n), balance })),
                  total,
                }
              : absent,
          NOW,
          before,
        );
      expect(of([[1, "900"]], 2).stream).toBeNull();
      expect(told(of([[1, "900"]], 1))).toEqual(["left 2 300 2"]);
      expect(told(of([[1, "100"]], 1))).toEqual(["left 2 300 2"]);
    });

    it("wait for a supply that has moved on since", () => {
      const minted = read([all[0], [2, "500"]], before, ok({ total_supply: "1001" }));
      expect(told(minted)).toEqual([]);
      const whole = read([[1, "1000"]], before, ok({ total_supply: "1001" }));
      expect(whole.stream).toBeNull();
    });
  });

  it("are nobody only of a token without supply", () => {
    expect(read([], start).stream).toBeNull();
    expect(told(read([], start, ok({ total_supply: "0" })))).toEqual([
      "left 1 300 1",
      "left 2 200 2",
    ]);
  });

  it("does not say that one has left whose balance or wallet was not to be read", () => {
    expect(
      told(
        read(
          [
            [1, "300"],
            [2, null],
            [3, "100"],
          ],
          start,
        ),
      ),
    ).toEqual([]);
    const { stream } = holders.read(
      subject,
      ({ record }) =>
        record === "holder" ? ok({ wallet_address: wallet(1), balance: "300" }, {}) : undefined,
      NOW,
      start,
    );
    expect(stream).toBeNull();
  });
});
