import { describe, expect, it } from "vitest";
import type { Answer, Ask, RawRecord } from "../../src/model/index.ts";
import { gasHour } from "../kinds/records.ts";
import {
  absent,
  failed,
  MINUTE,
  ok,
  POOL_ID,
  poolRecord,
  positionRecord,
  START,
  World,
} from "../support/world.ts";

const HOUR = 60 * MINUTE;
const TOKEN = `0x${"0e".repeat(20)}`;
const WALLET = `0x${"11".repeat(20)}`;

const minuteOf = (date: number): number => Math.round((date - START) / MINUTE);

const pool = (when: string, more = ""): string => `
rules:
  - name: pool
    watch: {kind: v4_pool, chain: 1, pools: [{id: "${POOL_ID}", name: The pool}]}
    when: ${when}
${more}`;

const tvl =
  (byMinute: (minute: number) => number | Answer) =>
  (_ask: Ask, date: number): Answer => {
    const value = byMinute(minuteOf(date));
    return typeof value === "number" ? ok(poolRecord({ tvl_usd: value })) : value;
  };

describe("a rule that compares with a percentile", () => {
  it("is not known before half of its window is, and then exact, restarted or not", async () => {
    for (const restarts of [[], [11, 17]]) {
      const world = await World.create(pool("{metric: tvl_usd, below: p10, within: 20m}"));
      // 100 but in every fifth minute 90: nothing lies below the tenth percentile until 80 comes.
      world.answer = tvl((minute) => (minute === 18 ? 80 : minute % 5 === 0 ? 90 : 100));
      for (let minute = 1; minute <= 22; minute += 1) {
        await world.minutes(1);
        if (restarts.includes(minute)) await world.restart();
      }
      expect(world.story()).toEqual(["18 fired", "19 resolved"]);
      expect(world.told.find(({ kind }) => kind === "fired")?.notice.headline).toBe(
        "🟠 The pool TVL $80, lowest tenth of 20 min (below $90). Ethereum",
      );
      await world.stop();
    }
  });

  it("takes three times the usual of the hours before", async () => {
    const world = await World.create(`
rules:
  - name: tip
    watch: {kind: gas, chain: ethereum}
    when: {metric: tip_top10, above: 300% of p50, within: 20h}
    schedule: 1h
`);
    const tip = (start: number): string =>
      start === START + 3 * HOUR
        ? "3000000000"
        : start === START + 5 * HOUR
          ? "3000000001"
          : "1000000000";
    world.answer = (_ask, date) => {
      const newest = date - (date % HOUR) - HOUR;
      return ok(
        ...Array.from({ length: 24 }, (_, i) => {
          const start = newest - (23 - i) * HOUR;
          const hour = new Date(start).toISOString();
          return gasHour(hour, { avg_priority_fee_top10_threshold: tip(start) });
        }),
      );
    };
    for (let i = 0; i < 9; i += 1) await world.pass(HOUR);
    // The hour that starts at 5 is answered in the round at 6.
    expect(world.story()).toEqual(["360 fired", "420 resolved"]);
    await world.stop();
  });
});

describe("unchanged", () => {
  it("fires once one value was in force for so long, over a restart, nulls and short gaps", async () => {
    const world = await World.create(pool("{metric: tvl_usd, unchanged: 10m}"));
    const gone = new Set([6, 7]);
    world.answer = tvl((minute) =>
      gone.has(minute) ? failed : minute < 3 || minute > 15 ? minute : 7,
    );
    await world.minutes(5);
    await world.restart();
    await world.minutes(13);
    // The first 7 was seen in minute 3.
    expect(world.story()).toEqual(["13 fired", "16 resolved"]);
    expect(world.told.map(({ notice }) => notice.headline).slice(1)).toEqual([
      "🟠 TVL unchanged for 10 min: The pool at $7. Ethereum",
      "🟢 TVL changed again: The pool at $16. Fired for 3 min",
    ]);
    await world.stop();
  });

  it("begins anew after a longer hole, and keeps what fires until another value comes", async () => {
    const world = await World.create(pool("{metric: tvl_usd, unchanged: 10m}"));
    world.answer = tvl((minute) => (minute >= 5 && minute <= 8 ? failed : 7));
    await world.minutes(18);
    expect(world.story()).toEqual([]);
    await world.minutes(2);
    expect(world.story()).toEqual(["19 fired"]);
    await world.stop();
  });
});

describe("a rule that looks at the past in several ways", () => {
  it("gives each of them its own past, restarted or not", async () => {
    for (const restarts of [[], [22, 50]]) {
      const world = await World.create(
        pool(`
      any:
        - {metric: tvl_usd, falls: 70%, since: last}
        - {metric: tvl_usd, falls: 40%, within: 5m}
        - {metric: tvl_usd, unchanged: 15m}
        - {metric: tvl_usd, above: p90, within: 40m}`),
      );
      world.answer = tvl((minute) => {
        if (minute === 61) return 60;
        if (minute < 40) return (minute < 20 ? 100 : 50) + (minute % 2);
        return minute < 58 ? 50 : 51;
      });
      for (let minute = 1; minute <= 63; minute += 1) {
        await world.minutes(1);
        if (restarts.includes(minute)) await world.restart();
      }
      expect(world.story()).toEqual([
        // Half of what was highest in five minutes.
        "20 fired",
        "25 resolved",
        // The first of the equal ones came in minute 40.
        "55 fired",
        "58 resolved",
        // Nothing else in the forty minutes before was as high.
        "61 fired",
        "62 resolved",
      ]);
      await world.stop();
    }
  });
});

describe("no_update_for", () => {
  const updated = (minute: number): Answer =>
    ok(
      poolRecord({
        timestamp: String((START + minute * MINUTE) / 1_000),
        block_number: String(minute),
      }),
    );

  it("is true once the record's own time is older than that, exactly that not being yet", async () => {
    const world = await World.create(pool("{no_update_for: 5m}"));
    world.answer = (_ask, date) => updated(Math.min(2, minuteOf(date)));
    await world.minutes(7);
    expect(world.story()).toEqual([]);
    await world.minutes(1);
    expect(world.story()).toEqual(["8 fired"]);
    world.answer = (_ask, date) => updated(minuteOf(date));
    await world.minutes(1);
    expect(world.story()).toEqual(["8 fired", "9 resolved"]);
    expect(world.told.map(({ notice }) => notice.headline).slice(1)).toEqual([
      "🟠 No update for 5 min: The pool. Last at 2026-11-28 12:02 UTC. Ethereum",
      "🟢 Updated again: The pool. Fired for 1 min",
    ]);
    await world.stop();
  });

  it.each([
    ["no answer", failed],
    ["a subject that is gone", absent],
    ["an older record", ok(poolRecord({ timestamp: "1", block_number: "1" }))],
  ])("is judged with %s as well, also after a restart", async (_what, answer) => {
    // A record that stays old for long becomes the baseline.
    const world = await World.create(pool("{no_update_for: 5m}", "    missing_after: 30m\n"));
    world.answer = (_ask, date) => (minuteOf(date) <= 2 ? updated(minuteOf(date)) : answer);
    await world.minutes(4);
    await world.restart();
    await world.minutes(4);
    expect(world.story()).toContain("8 fired");
    expect(world.story().filter((one) => /no_data|resolved/.test(one))).toEqual([]);
    const { notice } = world.told.find(({ kind }) => kind === "fired") ?? {};
    expect(notice?.headline).toBe(
      "🟠 No update for 5 min: The pool. Last at 2026-11-28 12:02 UTC. Ethereum",
    );
    expect(notice?.values?.map(({ value }) => value)).toEqual([
      String((START + 2 * MINUTE) / 1_000),
    ]);
    await world.stop();
  });

  it("looks at the end of the newest bucket, whatever its age", async () => {
    const world = await World.create(`
rules:
  - name: feed
    watch: {kind: gas, chain: ethereum}
    when: {no_update_for: 3h}
    schedule: 30m
`);
    const last = START - HOUR;
    world.answer = () => ok(gasHour(new Date(last).toISOString()));
    for (let i = 0; i < 6; i += 1) await world.pass(30 * MINUTE);
    expect(world.story()).toEqual([]);
    world.answer = () => failed;
    for (let i = 0; i < 1; i += 1) await world.pass(30 * MINUTE);
    expect(world.story()).toEqual(["210 fired"]);
    expect(world.told.at(-1)?.notice.headline).toBe(
      "🟠 No update for 3 h: Ethereum. Last at 2026-11-28 12:00 UTC",
    );
    await world.stop();
  });
});

describe("a rule that compares with a reference", () => {
  const rules = (more = "", decimals = 18): string => `
references:
  escrowed:
    watch: {kind: token_balance, chain: 1, token: "${TOKEN}", wallet: "${WALLET}", decimals: 6}
    metric: balance
rules:
  - name: unbacked
    watch: {kind: token_supply, chain: 137, token: {id: "${TOKEN}", name: AUSD, decimals: ${decimals}}}
    when: {metric: total_supply, above: 100% of escrowed}
${more}`;

  const supply = (raw: string): Answer =>
    ok({ token_address: TOKEN, chain_id: 137, total_supply: raw });
  const balance = (raw: string): Answer =>
    ok({ token_address: TOKEN, chain_id: 1, wallet_address: WALLET, balance: raw });
  const answers =
    (
      supplies: (minute: number) => Answer,
      balances: (minute: number) => Answer | Promise<Answer>,
    ) =>
    (ask: Ask, date: number) =>
      ask.record === "supply" ? supplies(minuteOf(date)) : balances(minuteOf(date));

  it("holds both in whole tokens, exact to the last unit of the finer one", async () => {
    const world = await World.create(rules());
    world.answer = answers(
      (minute) => supply(minute === 3 ? "1000000000000000001" : "1000000000000000000"),
      () => balance("1000000"),
    );
    await world.minutes(4);
    expect(world.story()).toEqual(["3 fired", "4 resolved"]);
    expect(new Set(world.asked.map((key) => key.split(":")[0]))).toEqual(
      new Set(["token_supply", "token_balance"]),
    );
    await world.stop();
  });

  it("waits for the reference, whichever answer comes first", async () => {
    const world = await World.create(rules());
    world.answer = answers(
      () => supply("2000000000000000000"),
      async (minute) => {
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        return balance(minute < 3 ? "2000000" : "1999999");
      },
    );
    await world.minutes(4);
    expect(world.story()).toEqual(["3 fired"]);
    await world.stop();
  });

  it("takes its newest value in force while its request fails, then knows nothing", async () => {
    const world = await World.create(rules());
    world.answer = answers(
      (minute) => supply(minute === 5 ? "3000000000000000000" : "1000000000000000000"),
      (minute) => (minute <= 2 ? balance("2000000") : failed),
    );
    await world.minutes(4);
    await world.restart();
    await world.minutes(8);
    // Minute 5 is the last in which the balance of minute 2 is in force.
    const kinds = world.story();
    expect(kinds[0]).toBe("5 fired");
    expect(kinds).not.toContain("6 resolved");
    // Both records failed for nobody else: of the balances' source people hear once.
    expect(kinds.slice(1).map((one) => one.split(" ")[1])).toEqual(["source_down"]);
    await world.stop();
  });

  it.each([
    ["is missing", absent],
    ["is malformed", balance("many")],
  ])("knows nothing in a round in which it %s", async (_what, answer) => {
    const world = await World.create(rules("    missing_after: 2m\n"));
    world.answer = answers(
      () => supply("3000000000000000000"),
      (minute) => (minute === 1 ? balance("3000000") : answer),
    );
    await world.minutes(5);
    expect(world.story()).toEqual(["4 no_data"]);
    const reason = world.told.at(-1)?.notice.fields.find(({ name }) => name === "Reason")?.value;
    expect(reason).toContain("escrowed: ");
    await world.stop();
  });

  it("shares what it asks with the rules that watch it", async () => {
    const more = `
  - name: escrow
    watch: {kind: token_balance, chain: 1, token: "${TOKEN}", wallet: "${WALLET}", decimals: 6}
    when: {metric: balance, below: 5 tokens}
`;
    const world = await World.create(rules(more));
    world.answer = answers(
      () => supply("1000000000000000000"),
      (minute) => balance(minute < 3 ? "5000000" : "4999999"),
    );
    await world.minutes(3);
    expect(world.requests).toBe(6);
    expect(world.story()).toEqual(["3 fired"]);
    await world.stop();
  });

  it("compares the sum over several chains with it", async () => {
    const world = await World.create(
      rules()
        .replace("chain: 137", "chain: [137, 143]")
        .replace("    when:", "    across: sum\n    when:"),
    );
    world.answer = answers(
      (minute) => supply(minute < 3 ? "1000000000000000000" : "1000000000000000001"),
      () => balance("2000000"),
    );
    await world.minutes(3);
    expect(world.story()).toEqual(["3 fired"]);
    await world.stop();
  });

  it("holds whole tokens against the smallest units of another metric", async () => {
    const world = await World.create(`
references:
  escrowed:
    watch: {kind: token_balance, chain: 1, token: "${TOKEN}", wallet: "${WALLET}", decimals: 6}
    metric: balance
rules:
  - name: more
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42]}
    when: {metric: amount0_d, above: escrowed}
`);
    world.answer = ({ record }, date) => {
      if (record === "balance") return balance("1500000");
      if (record !== "v4_position") return ok(poolRecord());
      return ok(positionRecord({ amount0_d: minuteOf(date) === 3 ? "1.500001" : "1.5" }));
    };
    await world.minutes(4);
    expect(world.story()).toEqual(["3 fired", "4 resolved"]);
    await world.stop();
  });

  it("takes the newest hour of it while an answer has none, until that is two hours over", async () => {
    const world = await World.create(`
references:
  ethereum: {watch: {kind: gas, chain: ethereum}, metric: tip_top10}
rules:
  - name: dearer
    watch: {kind: gas, chain: polygon}
    when: {metric: tip_top10, above: ethereum}
    schedule: 10m
    missing_after: 10m
`);
    const tip = (start: number, gwei: number): RawRecord =>
      gasHour(new Date(start).toISOString(), {
        avg_priority_fee_top10_threshold: `${gwei}000000000`,
      });
    world.answer = ({ chainId }, date) => {
      const hour = date - (date % HOUR);
      if (chainId !== 1) return ok(tip(hour, date < START + 2 * HOUR ? 4 : 6));
      return date < START + HOUR ? ok(tip(hour, 5)) : ok();
    };
    await world.pass(1_000);
    for (let i = 0; i < 30; i += 1) await world.pass(10 * MINUTE);
    // The hour of 12:00 is over at 13:00, and in force until 15:00.
    expect(world.story()).toEqual(["130 fired", "200 no_data"]);
    await world.stop();
  });
});

describe("bucket: complete", () => {
  it.each([
    ["newest", ["10 fired"]],
    ["complete", ["60 fired"]],
  ])("%s decides whether the running hour counts", async (bucket, story) => {
    const world = await World.create(`
rules:
  - name: tip
    watch: {kind: gas, chain: ethereum}
    when: {metric: tip_top10, above: 5 gwei}
    bucket: ${bucket}
    schedule: 10m
`);
    world.answer = (_ask, date) =>
      ok(
        ...[START - HOUR, START].map((start) =>
          gasHour(new Date(start).toISOString(), {
            avg_priority_fee_top10_threshold: start === START && date > START ? "6000000000" : "1",
          }),
        ),
      );
    await world.pass(1_000);
    for (let i = 0; i < 6; i += 1) await world.pass(10 * MINUTE);
    expect(world.story()).toEqual(story);
    await world.stop();
  });
});
