import { describe, expect, it } from "vitest";
import { ran } from "./ran.ts";

const TVL = `rules:
  - name: low
    watch: {kind: v4_pool, chain: 1, pools: [{id: "0x${"ab".repeat(32)}", name: Pool}]}
    when: {metric: tvl_usd, below: 100}
    for: 5m
`;

describe("a case", () => {
  it("has its first round at the start, with the first step", async () => {
    const { story } = await ran(`${TVL}
cases:
  - name: x
    values: {Pool: {tvl_usd: 100x5}}
    expect: [{at: 0, kind: started}]
`);
    expect(story).toEqual(["0m started"]);
  });

  it("keeps timers over a restart, and begins them anew after a long time down", async () => {
    const world = (restart: string): string => `${TVL}
cases:
  - name: x
    values: {Pool: {tvl_usd: 100x10 99x50}}
    steps: [{at: 12m, restart: ${restart}}]
    expect: []
`;
    expect((await ran(world("true"))).story).toEqual(["15m fired"]);
    // Down from 12m to 32m: the round at 32m is too far from the one before.
    expect((await ran(world("20m"))).story).toEqual(["37m fired"]);
  });

  it("goes on by true time when the clock is set back, and says what the daemon says", async () => {
    const { story, cases } = await ran(`${TVL}
start: 2026-03-02T00:00:00Z
cases:
  - name: x
    values: {Pool: {tvl_usd: 100x10 99x20 100x20}}
    steps: [{at: 20m, clock: -1h}]
    expect:
      - {at: 15m, kind: fired}
      - {at: 20m, kind: self}
      - {at: 2026-03-01T23:30:00Z, kind: resolved}
`);
    expect(story).toContain("30m resolved");
    expect(story[0]).toBe("15m fired");
    expect(story.filter((one) => one.endsWith("self"))).toHaveLength(1);
    expect(cases).toHaveLength(1);
  });

  it("treats a jump forward as time in which nothing was seen", async () => {
    const { story } = await ran(`${TVL}
cases:
  - name: x
    values: {Pool: {tvl_usd: 100x10 99x20}}
    steps: [{at: 12m, clock: +1h}]
    expect: []
`);
    expect(story).toEqual(["17m fired"]);
  });

  it("runs the gates of its rules with them, and no other rule", async () => {
    const { problems, cases } = await ran(`rules:
  - name: low
    watch: {kind: v4_pool, chain: 1, pools: [{id: "0x${"ab".repeat(32)}", name: Pool}]}
    when: {metric: tvl_usd, below: 100}
    only_while: [cheap]
  - name: cheap
    notify: []
    watch: {kind: gas, chain: 1}
    when: {metric: tip_top10, below: 5 gwei}
  - name: other
    watch: {kind: gas, chain: 1}
    when: {metric: tip_top10, above: 50 gwei}
cases:
  - name: x
    rule: low
    until: 10m
    values: {Pool: {tvl_usd: 99x5}, ethereum: {tip_top10: 3gwei}}
    expect: []
`);
    expect(problems).toEqual([]);
    expect(cases[0]?.test.rules.map(({ name }) => name)).toEqual(["low", "cheap"]);
  });

  it("says what its rules ask for and it does not give", async () => {
    const { cases } = await ran(`rules:
  - name: range
    watch: {kind: v4_position, positions: [{id: 42, chain: 1, protocol: dexa, name: Mine}]}
    when: {metric: in_range, equals: false}
    for: 5m
cases:
  - name: x
    values: {Mine: {liquidity: 5x10}}
    expect: []
`);
    expect(cases[0]?.ok).toBe(false);
    expect(cases[0]?.lacking).toEqual([{ record: "v4_pool", subject: "Mine", elapsed: 0 }]);
  });

  it("asks on for the pool of a position that is not answered, as a daemon does", async () => {
    const { problems, cases } = await ran(`rules:
  - name: range
    watch: {kind: v4_position, positions: [{id: 42, chain: 1, protocol: dexa, name: Mine}]}
    when: {metric: in_range, equals: false}
cases:
  - name: x
    until: 12m
    answers:
      Mine:
        - v4_position: {lower_tick: -10, upper_tick: 10, liquidity: 5, pool_id: "0x${"ab".repeat(32)}"}
          v4_pool: {current_tick: 0}
        - {at: 4m, v4_position: fail, v4_pool: fail}
        - {at: 10m, v4_position: {}, v4_pool: {}}
    expect: []
`);
    expect(problems).toEqual([]);
    expect(cases[0]?.seen.slice(1).map(({ notice }) => notice.headline)).toEqual([
      "⚪ Source down 5 min: the data service. 1 rule, 1 alert blind",
      "🟢 Source back after 7 min: the data service answers again",
    ]);
  });
});

describe("hours of gas", () => {
  const gas = (every: string, tips: string): string => `rules:
  - name: tip
    watch: {kind: gas, chain: 1}
    when: {metric: tip_top10, above: 5 gwei}
cases:
  - name: x
    every: ${every}
    values: {ethereum: {tip_top10: ${tips}}}
    expect: []
`;

  it("are revised within the hour, and keep what they were at its end", async () => {
    const revised = await ran(gas("10m", "1gweix6 1gweix3 6gweix3 1gweix6"));
    expect(revised.story).toEqual(["1h30m fired", "2h5m resolved"]);
  });

  it("are missing from the answer where the record is absent", async () => {
    const { story } = await ran(gas("1h", "1gwei 6gwei absentx3 6gwei 1gwei"));
    // The hour that ended at 2:00 is good until 4:00, and no data is told five minutes later.
    expect(story).toEqual(["1h5m fired", "4h5m no_data", "5h5m data_back", "6h5m resolved"]);
  });

  it("are not answered at all while the request fails", async () => {
    const { story } = await ran(gas("10m", "1gweix6 failx6 1gweix6"));
    expect(story).toEqual(["1h4m source_down", "2h source_up"]);
  });
});

describe("lists of swaps and of holders", () => {
  it("are given by their entries", async () => {
    const { problems, cases } = await ran(`rules:
  - name: big-swap
    watch: {kind: v4_swaps, chain: 1, pools: [{id: 0x21c67e77068de97969ba93d4aab21826d33ca12bb9f565d8496e8fda8a82ca27, name: ETH/USDC}]}
    when: {metric: amount_usd, above: 500_000}
  - name: whales
    watch: {kind: holders, chain: 1, token: {id: 0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a, name: AUSD, decimals: 6}, top: 2}
    when: {metric: entered, equals: true}
cases:
  - name: one large swap
    rule: big-swap
    until: 10m
    answers:
      ETH/USDC:
        - v4_pool: {token0: {symbol: ETH, decimals: 18, price: 2000, address: 0x0000000000000000000000000000000000000000}, token1: {symbol: USDC, decimals: 6, price: 1, address: 0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48}}
        - at: 3m
          v4_swap:
            - {amount0: -300000000000000000000, amount1: 600000000000, transaction_hash: 0xbb, block_number: 11, timestamp: "2026-01-01T00:02:00Z", tick: 0}
            - {amount0: -3, amount1: 6, transaction_hash: 0xaa, block_number: 10, timestamp: "2026-01-01T00:01:00Z", tick: 0}
    expect:
      - {at: 3m, kind: changed}
  - name: a new whale
    rule: whales
    until: 10m
    answers:
      AUSD:
        - supply: {total_supply: 1000000000000}
          holder:
            - {wallet_address: 0x1111111111111111111111111111111111111111, balance: 5000}
            - {wallet_address: 0x2222222222222222222222222222222222222222, balance: 4000}
        - at: 4m
          holder:
            - {wallet_address: 0x1111111111111111111111111111111111111111, balance: 5000}
            - {wallet_address: 0x3333333333333333333333333333333333333333, balance: 4500}
    expect:
      - {at: 4m, kind: changed}
`);
    expect(problems).toEqual([]);
    expect(cases.map(({ test, ok }) => [test.name, ok])).toEqual([
      ["one large swap", true],
      ["a new whale", true],
    ]);
  });
});
