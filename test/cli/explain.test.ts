import { afterEach, describe, expect, it, vi } from "vitest";
import { NO_CHANGE } from "../../src/model/index.ts";
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
import { daemonFiles } from "./daemon-files.ts";

const OTHER_ID = `0x${"cd".repeat(32)}`;
const CONFIG = `service: {base_url: "http://localhost:1", api_key: "\${env:KEY}"}
rules: [rules.yaml]
store: tickwatch.db
channels: {console: {kind: console}, slack: {kind: console}}
`;
const POOL = `watch: {kind: v4_pool, chain: 1, pools: [{id: "${POOL_ID}", name: Main}]}`;
const rulesOf = (keys: string, more = ""): string =>
  `rules:\n  - name: tvl-low\n    ${POOL}\n    ${keys}\n${more}`;

afterEach(() => void vi.useRealTimers());

describe("tickwatch explain", () => {
  const files = daemonFiles(CONFIG, "");
  let world: World;

  /** Lets a daemon see these TVLs, minute by minute from 12:01 on, and stop. */
  async function watched(
    rules: string,
    values: readonly (number | "failed" | "absent")[],
  ): Promise<void> {
    await files.write("rules.yaml", rules);
    world = await World.create(rules, { store: files.store() ?? (await files.open()) });
    world.answer = ({ record }, date) => {
      const minute = (date - START) / MINUTE;
      const value = values[Math.min(values.length - 1, Math.max(0, minute - 1))] ?? 0;
      if (record !== "v4_pool") return absent;
      if (value === "failed") return failed;
      return value === "absent" ? absent : ok(poolRecord({ tvl_usd: value }));
    };
    await world.minutes(values.length);
  }

  /** The sentence on top, of now or of a time. */
  async function said(...args: readonly string[]): Promise<string> {
    const { out } = await page(...args);
    return out
      .split("\n")
      .slice(2, 4)
      .filter((line) => line !== "")
      .join(" ");
  }

  async function page(
    ...args: readonly string[]
  ): Promise<{ code: number; out: string; err: string }> {
    vi.useFakeTimers({ toFake: ["Date"], now: world.clock.now() });
    return await files.run("explain", "tvl-low", ...args);
  }

  it("says what was so instead", async () => {
    await watched(rulesOf("when: {metric: tvl_usd, below: 500}"), [1000, 1000, 500.01]);
    expect(await said()).toBe("It is not firing because at 12:03 TVL was $500.01, not below $500.");
    expect(await said("--at", "12:02")).toBe(
      "It did not fire at 12:02 because TVL was $1,000, not below $500.",
    );
  });

  it("counts no hour before the first that was looked at", async () => {
    const rules =
      "rules:\n  - name: tvl-low\n    watch: {kind: gas, chain: 1}\n    when: {metric: tip_top10, below: 1 gwei}\n";
    await files.write("rules.yaml", rules);
    world = await World.create(rules, { store: files.store() ?? (await files.open()) });
    const hour = { ...gasHour("2026-11-28T12:00:00.000Z") };
    world.answer = () => ok(hour);
    await world.minutes(6);
    const { out } = await page();
    expect(out).toContain("  not firing since 12:01\n");
    hour.avg_priority_fee_top10_threshold = "900000000";
    await world.minutes(1);
    expect((await page()).out).toContain("  firing, counted from 12:00-13:00 UTC\n");
  });

  it("names the rounds that `for` lacked", async () => {
    const rules = rulesOf("when: {metric: tvl_usd, below: 500}\n    for: 3m");
    await watched(rules, [1000, 400, 600, 400, 400, 400, 400]);
    expect(await said("--at", "12:05")).toBe(
      "It did not fire at 12:05 because TVL was $600, not below $500, in 1 of the 4 rounds that `for: 3m` needs (12:03).",
    );
    expect(await said("--at", "12:03")).toBe(
      "It did not fire at 12:03 because TVL was $600, not below $500, in 2 of the 3 rounds that `for: 3m` needs (12:01, 12:03).",
    );
    expect(await said("--at", "12:06")).toContain(
      "in 1 of the 4 rounds that `for: 3m` needs (12:03)",
    );
    expect((await page("--at", "12:06")).out).toContain(
      "  pending since 12:04\n  for: 3m ends at 12:07\n",
    );
    expect(await said("--at", "12:07")).toBe(
      "It fired at 12:07 because TVL was $400, below $500, for 3m by then. " +
        "Its notice of 12:07: console: queued; slack: queued.",
    );
  });

  it("says what keeps it firing, and when it may end", async () => {
    const rules = rulesOf(
      "when: {metric: tvl_usd, below: 500}\n    resolve_when: {above: 800}\n    resolve_after: 2m",
    );
    await watched(rules, [400, 600, 900, 900]);
    expect(await said("--at", "12:02")).toMatch(
      /^It was firing since 12:01: its condition is over \(TVL was \$600, not below \$500\), but `resolve_when` is not true: TVL was \$600, not above \$800\./,
    );
    expect(await said()).toMatch(
      /^It has been firing since 12:01 and recovers since 12:03: TVL was \$900, not below \$500\. `resolve_after: 2m` ends at 12:05\./,
    );
    expect((await page()).out).toContain(
      "  recovering since 12:03\n  fired 12:01, 3 min before\n  resolve_after: 2m ends at 12:05\n",
    );
    await world.minutes(1);
    expect(await said()).toBe(
      "It resolved at 12:05 because TVL was $900, not below $500, and `resolve_when` was true: TVL was $900, above $800.",
    );
  });

  it("says once why there is no data, of however many comparisons", async () => {
    const when =
      "when: {all: [{metric: tvl_usd, below: 500}, {metric: tvl_usd, falls: 1%, within: 1h}]}";
    await watched(rulesOf(when), [1000, "absent"]);
    expect(await said()).toBe(
      "It is not firing because nothing could be decided at 12:02: TVL had no value (not in the answer).",
    );
  });

  it("says why there is no data", async () => {
    await watched(rulesOf("when: {metric: tvl_usd, below: 500}"), [1000, 1000, "failed", "absent"]);
    expect(await said("--at", "12:03")).toBe(
      "It did not fire at 12:03 because nothing could be decided: TVL had no value (timed out after 10 s).",
    );
    expect(await said()).toBe(
      "It is not firing because nothing could be decided at 12:04: TVL had no value (not in the answer).",
    );
  });

  it("shows each part of a condition with how much of its window is known", async () => {
    const rules = rulesOf(
      "when: {all: [{metric: tvl_usd, falls: 10%, within: 1h}, {not: {metric: tvl_usd, below: 100}}]}",
    );
    await watched(rules, [1000, 1000, 950]);
    expect(await said()).toMatch(
      /^It is not firing because nothing could be decided at 12:03: TVL had fallen 5(\.0)?% /,
    );
    const { out } = await page();
    expect(out).toContain("unknown all of");
    expect(out).toContain("true      not");
    expect(out).toContain("only 2 min of 1 h was known (half is needed)");
  });

  it("shows how much of the window is known of a change that is large enough", async () => {
    await watched(rulesOf("when: {metric: tvl_usd, falls: 10%, within: 1h}"), [1000, 1000, 800]);
    expect((await page()).out).toMatch(/\n +2 min of the last 1 h known\n/);
  });

  it("says which gate was closed, and which holds its notices back", async () => {
    const gate = (name: string, below: number): string =>
      `  - name: ${name}\n    ${POOL}\n    when: {metric: tvl_usd, below: ${below}}\n    notify: []\n`;
    await watched(
      rulesOf("when: {metric: tvl_usd, below: 500}\n    only_while: [gate]", gate("gate", 300)),
      [1000, 400],
    );
    expect(await said()).toBe(
      "It is not firing because its gate gate (only_while) was closed: it did not fire there.",
    );
    expect((await page()).out).toContain("  gate gate (only_while): not firing, so it is closed");
    await world.stop();
    await watched(
      rulesOf("when: {metric: tvl_usd, below: 500}\n    unless: [gate]", gate("gate", 450)),
      [1000, 400],
    );
    expect(await said()).toContain("Nobody was told because gate (unless) is firing.");
    expect((await page()).out).toContain("  gate gate (unless): firing, so notices wait");
  });

  it("says that a gate holds nothing back any more once it is without data, though nobody was told yet", async () => {
    const token = `0x${"2e".repeat(20)}`;
    const gate = `  - name: holders
    watch: {kind: holder_count, chain: 1, token: "${token}"}
    schedule: "*/2 * * * *"
    missing_after: 7m
    when: {metric: holder_count, above: 5}
`;
    const rules = rulesOf("when: {metric: tvl_usd, below: 500}\n    unless: [holders]", gate);
    await files.write("rules.yaml", rules);
    world = await World.create(rules, { store: files.store() ?? (await files.open()) });
    world.answer = ({ record }, date) => {
      const minute = (date - START) / MINUTE;
      if (record === "v4_pool") return ok(poolRecord({ tvl_usd: minute < 6 ? 1000 : 400 }));
      return minute < 4 ? ok({ token_address: token, chain_id: 1, holder_count: 10 }) : absent;
    };
    await world.minutes(8);
    expect(await said()).toContain("Nobody was told because holders (unless) is firing.");
    await world.minutes(1);
    expect(world.told.at(-1)?.notice).toMatchObject({ kind: "fired", rule: "tvl-low" });
    expect((await page()).out).toContain("  gate holders (unless): not firing");
  });

  it("says which gates were open, and which held nothing back", async () => {
    const gate = (name: string, below: number): string =>
      `  - name: ${name}\n    ${POOL}\n    when: {metric: tvl_usd, below: ${below}}\n    notify: []\n`;
    await watched(
      rulesOf(
        "when: {metric: tvl_usd, below: 500}\n    only_while: [low]\n    unless: [lower]",
        gate("low", 450) + gate("lower", 300),
      ),
      [1000, 400],
    );
    expect(await said()).toMatch(/^It fired at /);
    const { out } = await page();
    expect(out).toContain("  gate low (only_while): firing, so it is open");
    expect(out).toContain(
      "Routes\n  tvl-low (warning): all channels, as no routes are configured\n    → console\n    → slack\n",
    );
    expect(out).toContain("  gate lower (unless): not firing");
    expect(out).not.toContain("notices wait");
  });

  it("says that a cooldown holds its notices back, and until when", async () => {
    const rules = rulesOf("when: {metric: tvl_usd, below: 500}\n    cooldown: 1h");
    await watched(rules, [1000, 400, 1000, 400, 400]);
    expect(await said()).toBe(
      "It has been firing since 12:04, and goes on because at 12:05 TVL was $400, below $500. " +
        "Nobody was told because its cooldown of 1h lasts until 13:02.",
    );
  });

  it("says that it flaps", async () => {
    const values = Array.from({ length: 14 }, (_, i) => (i % 2 === 0 ? 1000 : 400));
    await watched(rulesOf("when: {metric: tvl_usd, below: 500}"), [...values, 400, 1000]);
    expect(await said()).toMatch(
      /People were not told that it is over because it is flapping: that was told at 12:/,
    );
  });

  it("says that a rule notifies nobody", async () => {
    await watched(rulesOf("when: {metric: tvl_usd, below: 500}\n    notify: []"), [400]);
    expect(await said()).toContain(
      "Nobody was told because no route leads to a channel: it notifies nobody.",
    );
  });

  it("says who acknowledged it", async () => {
    await watched(rulesOf("when: {metric: tvl_usd, below: 500}\n    remind: 5m"), [400, 400]);
    expect((await page()).out).toContain("the next reminder is due at 12:06");
    const command = { id: 1, kind: "ack", rule: "tvl-low", subject: null, author: "anna" } as const;
    await world.rounds.carryOut([{ ...command, comment: null, at: world.clock.now() }]);
    const { out } = await page();
    expect(out).toContain("acknowledged by anna at 12:02: no reminders until it resolves");
    expect(out).not.toContain("the next reminder");
  });

  it("says what came back from each send, and what waits behind it", async () => {
    await watched(rulesOf("when: {metric: tvl_usd, below: 500}"), [1000, 400, 1000]);
    const store = files.store();
    if (store === null) throw new Error("no store is open");
    const at = START + 2 * MINUTE;
    for (const channel of ["console", "slack"]) {
      for (let i = 0; i < 3; i += 1) {
        const claim = await store.claim(channel, Number.MAX_SAFE_INTEGER);
        if (claim.kind !== "notices") break;
        const [notice] = claim.notices;
        const id = `${channel}-${notice.id}`;
        await store.freeze({ id, channel, notices: [notice.id], body: "x", attempts: 1 }, at);
        if (channel === "console") await store.settle(id, { status: "sent", at: at + 1_000 });
        else if (notice.kind === "started")
          await store.settle(id, { status: "dead", at, error: "answered 400" });
        else {
          await store.settle(id, {
            status: "waiting",
            at: at + 1_000,
            until: at + 3_000,
            error: "answered 503",
          });
          await store.settle(id, {
            status: "waiting",
            at: at + 3_000,
            until: at + 8_000,
            error: "answered 502",
          });
        }
      }
    }
    expect(await said("--at", "12:02")).toContain(
      "Its notice of 12:02: console got it at 12:02:01; slack has not got it: 2 sends failed (answered 502), tried again at 12:02:08.",
    );
    const { out } = await page();
    expect(out).toContain("send 1 12:02:01 retry: answered 503");
    expect(out).toContain("send 2 12:02:03 retry: answered 502");
    expect(out).toMatch(
      /slack: queued behind message slack-\w+, sent 2 times in vain: answered 502/,
    );
  });

  it("says which silence and which mute suppress its notices", async () => {
    const config = `${CONFIG}mutes:
  days: [{from: "06:00", to: "22:00", days: [mon, tue, wed, thu, fri, sat, sun], timezone: UTC}]
routes:
  - {match: {severity: warning}, notify: slack, mute: days, continue: true}
  - {notify: console}
`;
    await files.write("config.yaml", config);
    await watched(rulesOf("when: {metric: tvl_usd, below: 500}"), [400]);
    vi.useFakeTimers({ toFake: ["Date"], now: world.clock.now() });
    await files.run(
      "silence",
      "add",
      "--rule",
      "tvl-low",
      "--for",
      "1h",
      "--by",
      "ben",
      "--comment",
      "moving it",
    );
    const { out } = await page();
    expect(out).toContain("silence 1 by ben until 13:01 (moving it)");
    expect(out).toContain("slack is muted until 22:00");
  });

  it("says that the daemon did not run", async () => {
    await watched(rulesOf("when: {metric: tvl_usd, below: 500}"), [1000, 1000]);
    await world.stop();
    await world.clock.advance(30 * MINUTE);
    await world.open();
    await world.minutes(2);
    expect(await said("--at", "12:20")).toBe(
      "Nothing was decided at 12:20: the last round of tvl-low before it was at 12:02 and the next at 12:32. It was not firing then.",
    );
    await world.stop();
    await world.clock.advance(30 * MINUTE);
    expect(await said()).toBe(
      "Nothing is decided: the last round of tvl-low was at 12:34, 30 min ago. Is the daemon running? It was not firing then.",
    );
  });

  it("says so of a time before the rule, and of a rule that was removed or edited", async () => {
    await watched(rulesOf("when: {metric: tvl_usd, below: 500}"), [1000, 1000]);
    expect((await page("--at", "11:00")).out).toBe(
      "tvl-low did not watch Main at 2026-11-28 11:00:00 UTC: it began at 2026-11-28 12:01:00 UTC.\n",
    );
    const edited = rulesOf("when: {metric: tvl_usd, below: 2000}");
    await files.write("rules.yaml", edited);
    await world.restart(edited);
    await world.minutes(1);
    expect((await page("--at", "12:01")).out).toContain(
      "the rule was edited at 2026-11-28 12:02 UTC (when): the condition above is that of the rule as it is now",
    );
    const renamed = edited.replace("tvl-low", "tvl");
    await files.write("rules.yaml", renamed);
    await world.restart(renamed);
    await world.minutes(1);
    expect(await page()).toEqual({
      code: 2,
      out: "",
      err: "tickwatch: there is no rule tvl-low any more: it was removed at 2026-11-28 12:03 UTC\n",
    });
  });

  it("says what an event rule saw", async () => {
    await watched(rulesOf("when: {metric: tvl_usd, crosses: 500}"), [1000, 400, 300]);
    expect(await said("--at", "12:01")).toContain("TVL was $1,000, its first value");
    expect(await said("--at", "12:02")).toBe(
      "It reported an event at 12:02: TVL went from $1,000 to $400 and crossed $500.",
    );
    expect(await said()).toBe(
      "It reported no event at 12:03: TVL went from $400 to $300 and did not cross $500.",
    );
  });

  it("says that a completed rule needs to be armed again", async () => {
    await watched(rulesOf("when: {metric: tvl_usd, below: 500}\n    once: true"), [400, 1000, 400]);
    expect(await said()).toBe(
      "It cannot fire: it has completed (once: true). `tickwatch rearm` lets it fire again.",
    );
  });

  it("has a sentence for each subject where none is named", async () => {
    const rules = rulesOf("when: {metric: tvl_usd, below: 500}").replace(
      "name: Main}",
      `name: Main}, {id: "${OTHER_ID}", name: Side}`,
    );
    await files.write("rules.yaml", rules);
    world = await World.create(rules, { store: await files.open() });
    world.answer = ({ id }) =>
      ok(poolRecord({ pool_id: id, tvl_usd: id === OTHER_ID ? 400 : 1000 }));
    await world.minutes(1);
    const { out } = await page();
    expect(out.split("\n")).toEqual([
      "Side: It fired at 12:01 because TVL was $400, below $500.",
      "Main: It is not firing because at 12:01 TVL was $1,000, not below $500.",
      "`tickwatch explain tvl-low SUBJECT` shows all that is known of one.",
      "",
    ]);
    expect((await page("Sied")).err).toBe(
      "tickwatch: tvl-low watches no Sied; did you mean Side?\n",
    );
    expect((await page("--at", "2027-01-01")).err).toBe(
      "tickwatch: 2027-01-01 00:00 UTC is in the future\n",
    );
  });

  it("prints the same for programs, with exact values", async () => {
    await watched(
      rulesOf("when: {metric: tvl_usd, below: 500}\n    for: 1m"),
      [1000, 400.25, 400.25],
    );
    const found = JSON.parse((await page("--json")).out) as Record<string, unknown>;
    expect(found).toMatchObject({
      rule: "tvl-low",
      state: "firing",
      told_state: "firing",
      firing_since: "2026-11-28T12:03:00.000Z",
      rounds: [
        { at: "2026-11-28T12:02:00.000Z", truth: "true" },
        { truth: "true", when: { value: "400.25", limits: ["500"], truth: "true" } },
      ],
    });
  });

  it("knows that a position was closed, also while its pool's record lags", async () => {
    const rules = `rules:
  - name: tvl-low
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42]}
    when: {metric: range_position, above: 95%}
`;
    await files.write("rules.yaml", rules);
    world = await World.create(rules, { store: await files.open() });
    world.answer = ({ record }, date) => {
      const minute = (date - START) / MINUTE;
      if (record === "v4_position")
        return ok(positionRecord({ liquidity: minute < 3 ? "5" : "0" }));
      const mark = minute < 3 ? { block_number: "9", timestamp: "9000" } : {};
      return record === "v4_pool" ? ok(poolRecord({ current_tick: -199_500, ...mark })) : absent;
    };
    await world.minutes(3);
    expect(await said()).toMatch(/ because at 12:03 .* means nothing: the position was closed\.$/);
  });

  const BOTH = `watch: {kind: v4_pool, chain: 1, pools: ["${POOL_ID}", "${OTHER_ID}"]}`;
  const SIDE = `watch: {kind: v4_pool, chain: 1, pools: ["${OTHER_ID}"]}`;
  const ABOVE_0 = "when: {metric: tvl_usd, above: 0}";
  it.each([
    [
      "watches the same subjects together",
      BOTH,
      "across: max",
      BOTH,
      `across: max\n    ${ABOVE_0}`,
    ],
    ["watches it together with others", POOL, "", BOTH, `across: sum\n    ${ABOVE_0}`],
    ["compares it with another", POOL, "", POOL, "when: {metric: tvl_usd, below: side}"],
    ["compares another with it", POOL, "", SIDE, "when: {metric: tvl_usd, below: main}"],
  ])(
    "knows the samples of the rounds of another rule that %s",
    async (_, mine, keys, its, more) => {
      const rules = `references:
  main: {watch: {kind: v4_pool, chain: 1, pools: ["${POOL_ID}"]}, metric: tvl_usd}
  side: {watch: {kind: v4_pool, chain: 1, pools: ["${OTHER_ID}"]}, metric: tvl_usd}
rules:
  - name: tvl-low
    ${mine}
    ${keys}
    schedule: "*/3 * * * *"
    when: {metric: tvl_usd, rises: 40%, within: 12m}
  - name: beside
    ${its}
    schedule: 1m
    ${more}
`;
      await files.write("rules.yaml", rules);
      world = await World.create(rules, { store: await files.open() });
      world.answer = ({ id }, date) => {
        const isLow = date === START + 4 * MINUTE || date === START + 5 * MINUTE;
        return ok(poolRecord({ pool_id: id, tvl_usd: isLow ? 500 : 1000 }));
      };
      await world.minutes(6);
      const { out } = await page("--at", "12:06");
      expect(out).toMatch(
        /It fired at 12:06 because .*had risen 100% \(from \$500 at 12:04 to \$1,000\), at least 40%/,
      );
    },
  );

  it("knows its samples also where another rule needs what was not recorded yet", async () => {
    const rules = rulesOf("when: {metric: tvl_usd, below: 500}");
    await watched(rules, [1000]);
    const more = `  - name: beside\n    ${POOL}\n    when: {metric: swap_count, above: 5}\n`;
    await files.write("rules.yaml", rules + more);
    expect(await said()).toBe("It is not firing because at 12:01 TVL was $1,000, not below $500.");
  });

  it("knows what another rule saw last of what it compares with", async () => {
    const rules = `references:
  side: {watch: {kind: v4_pool, chain: 1, pools: ["${OTHER_ID}"]}, metric: tvl_usd}
rules:
  - name: tvl-low
    ${POOL}
    schedule: "*/3 * * * *"
    when: {metric: tvl_usd, above: side}
  - name: beside
    ${SIDE}
    schedule: 1m
    when: {metric: tvl_usd, above: 0}
`;
    await files.write("rules.yaml", rules);
    world = await World.create(rules, { store: await files.open() });
    world.answer = ({ id }, date) => {
      if (id !== OTHER_ID) return ok(poolRecord({ tvl_usd: 1000 }));
      const minute = (date - START) / MINUTE;
      if (minute >= 6) return failed;
      return ok(poolRecord({ pool_id: id, tvl_usd: minute >= 4 ? 500 : 2000 }));
    };
    await world.minutes(6);
    expect(await said()).toMatch(/^It fired at 12:06 because TVL was \$1,000, above .*\$500/);
  });

  it("knows what the rule saw last before it had no data for long", async () => {
    const gap = Array.from({ length: 14 }, () => "absent" as const);
    await watched(rulesOf("when: {metric: tvl_usd, falls: 10%, since: last}"), [
      1000,
      1000,
      ...gap,
      500,
    ]);
    expect(await said()).toMatch(/^It fired at 12:17 because TVL had fallen 50% .*\$1,000/);
  });

  it("knows what the rule saw last before the daemon did not run for long", async () => {
    await watched(rulesOf("when: {metric: tvl_usd, falls: 10%, since: last}"), [1000, 1000]);
    await world.stop();
    await world.clock.advance(30 * MINUTE);
    await world.open();
    world.answer = () => ok(poolRecord({ tvl_usd: 500 }));
    await world.minutes(1);
    expect(await said("--at", "12:32")).toMatch(
      /^It fired at 12:32 because TVL had fallen 50% .*\$1,000/,
    );
  });

  it("says what no sample tells", async () => {
    await watched(rulesOf("when: {metric: tvl_usd, below: 500}"), [1000]);
    const store = files.store();
    await world.stop();
    await store?.commit({ ...NO_CHANGE });
    await store?.prune(world.clock.now() + MINUTE);
    expect(await said()).toContain("no round of tvl-low is recorded yet");
  });
});
