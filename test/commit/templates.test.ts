import { describe, expect, it } from "vitest";
import { ConfigError } from "../../src/config/files/text-file.ts";
import { parseRules } from "../../src/config/rules/rules.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { gasHour } from "../kinds/records.ts";
import { failed, ok, POOL_ID, poolRecord, positionRecord, START, World } from "../support/world.ts";

describe("a rule's title and note", () => {
  it("carry the facts of the notice, exact ones with every digit", async () => {
    const world = await World.create(`
rules:
  - name: tvl
    watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}
    when: {metric: tvl_usd, below: 500}
    labels: {team: lp}
    title: "{{ subject }} on {{ chain }}: {{ value }}"
    note: "{{ kind }} {{ exact.value | minus: exact.limit }} {{ limit }} {{ labels.team }} {{ lasted }}"
`);
    world.answer = (_ask, date) => {
      const minute = Math.round((date - START) / 60_000);
      return ok(poolRecord({ tvl_usd: minute === 2 ? 499.25 : 1000 }));
    };
    await world.minutes(3);
    const [started, fired, resolved] = world.told.map(({ notice }) => notice);
    // The start speaks of no single value.
    expect(started?.title).toBeNull();
    expect(fired?.title).toBe("ETH/USDC 0.05% on Ethereum: $499.25");
    expect(fired?.note).toBe("fired -0.75 $500 lp");
    expect(resolved?.note).toBe("resolved 500 $500 lp 1 min");
    await world.stop();
  });

  it("speak of a position's range", async () => {
    const world = await World.create(`
rules:
  - name: range
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42]}
    when: {metric: in_range, equals: false}
    note: "Ticks {{ range.lower_tick }} to {{ range.upper_tick }}, now {{ range.tick }}, {{ range.unit }}."
`);
    world.answer = (ask, date) => {
      const out = date > START + 60_000;
      return ok(
        ask.record === "v4_position"
          ? positionRecord()
          : poolRecord({ current_tick: out ? -198_000 : -199_890 }),
      );
    };
    await world.minutes(2);
    const note = world.told.at(-1)?.notice.note;
    expect(note).toBe("Ticks -200000 to -199000, now -198000, USDC per ETH.");
    await world.stop();
  });

  it("name any metric of the kind, also one that no condition names", async () => {
    const world = await World.create(`
rules:
  - name: worth
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [42]}
    when: {metric: value_usd, below: 500}
    note: "{{ metrics.side }} {{ metrics.in_range }} {{ metrics.ticks_to_edge }} {{ metrics['value_usd'] }} {{ metrics.closed }} {{ metrics.fees0 }}"
  - name: tip
    watch: {kind: gas, chain: ethereum}
    when: {metric: tip_top10, above: 5 gwei}
    note: "base {{ metrics.avg_base_fee }}, tip {{ metrics.tip_top10 }}"
`);
    world.answer = (ask, date) => {
      const low = date > START + 60_000;
      if (ask.record === "gas_hour")
        return ok(
          gasHour("2026-11-28T11:00:00Z", {
            avg_priority_fee_top10_threshold: low ? "9000000000" : "1",
          }),
        );
      if (ask.record === "v4_fees") return ok({ nft_id: "42", chain_id: 1, fees0: "7" });
      return ok(
        ask.record === "v4_position"
          ? positionRecord({ core_total_usd: low ? 400 : 1000 })
          : poolRecord({ current_tick: -198_000 }),
      );
    };
    await world.minutes(2);
    const notes = world.told.map(({ notice }) => [notice.rule, notice.kind, notice.note]);
    expect(notes).toContainEqual(["worth", "fired", "above false -1001 400 false 7"]);
    expect(notes).toContainEqual(["tip", "fired", "base 1500000000, tip 9000000000"]);
    await world.stop();
  });

  it("name no trouble where there is a value, whatever was not answered this time", async () => {
    const world = await World.create(`
references:
  deep: {watch: {kind: v4_pool, chain: 137, pools: ["${POOL_ID}"]}, metric: tvl_usd}
rules:
  - name: tvl
    watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}
    when: {metric: tvl_usd, below: 50% of deep}
    note: "{{ kind }}, trouble: {{ trouble }}."
`);
    world.answer = ({ chainId }, date) => {
      const low = date > START + 60_000;
      if (chainId === 137) return low ? failed : ok(poolRecord({ tvl_usd: 1000 }));
      return ok(poolRecord({ tvl_usd: low ? 400 : 1000 }));
    };
    await world.minutes(2);
    expect(world.told.at(-1)?.notice.note).toBe("fired, trouble: .");
    await world.stop();
  });

  it("are checked when the rule is read", () => {
    const read = (note: string) =>
      parseRules(
        `
rules:
  - name: tvl
    watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}
    when: {metric: tvl_usd, below: 500}
    note: ${JSON.stringify(note)}
`,
        "rules.yaml",
        { watches: KINDS, channels: ["slack"] },
      ).warnings.map(({ message, suggestion }) => [message, suggestion]);
    expect(read("{{ value }} {{ metrics.tvl_usd }} {{ range.price }}")).toEqual([]);
    expect(read("{{ metrics.current_tick }} {{ metrics.price }}")).toEqual([]);
    expect(read("{{ metrics.side }}")).toHaveLength(1);
    expect(read("{{ valeu }}")).toEqual([['notices have no "valeu": it stays empty', "value"]]);
    expect(read("{{ range.prise }} {{ labels.team }} {{ metrics.tvl }}")).toHaveLength(3);
    expect(() => read("{{ value | nope }}")).toThrow(ConfigError);
  });
});
