import { describe, expect, it } from "vitest";
import { discordMessage } from "../../src/channels/discord.ts";
import { emailHtml, partsOf } from "../../src/channels/email-body.ts";
import { pagerdutyEvents } from "../../src/channels/pagerduty.ts";
import { webhookBody } from "../../src/channels/webhook.ts";
import { digestOf } from "../../src/delivery/digest/digest.ts";
import type { Answer, Notice } from "../../src/model/index.ts";
import {
  absent,
  MINUTE,
  ok,
  POOL_ID,
  poolRecord,
  positionRecord,
  START,
  World,
} from "../support/world.ts";

const GATE_ID = `0x${"cd".repeat(32)}`;
const NOISE_ID = `0x${"ef".repeat(32)}`;

type Minutes = readonly (number | Answer)[];

const at = (minutes: Minutes, date: number): Answer => {
  const one = minutes[Math.round((date - START) / MINUTE) - 1] ?? minutes.at(-1) ?? absent;
  return typeof one === "number" ? ok(poolRecord({ tvl_usd: one })) : one;
};

const pool = (keys: string, name = "tvl"): string => `
  - name: ${name}
    watch: {kind: v4_pool, chain: 1, pools: [{id: ${POOL_ID}, name: The pool}]}
    ${keys}
`;
const GATE = `
  - name: cheap-gas
    watch: {kind: v4_pool, chain: 1, pools: [${GATE_ID}]}
    when: {metric: tvl_usd, below: 500}
    notify: []
`;

/** Lives through the minutes of the pool, and of its gates; the last notice that it resolved. */
async function resolved(
  rules: string,
  minutes: Minutes,
  gate: Minutes = [1],
  noise: Minutes = [1],
): Promise<{ notice: Notice; story: string[] }> {
  const world = await World.create(`rules:${rules}`);
  world.answer = ({ id }, date) => {
    const answer = at(id === GATE_ID ? gate : id === NOISE_ID ? noise : minutes, date);
    if (answer.status !== "ok") return answer;
    return ok({ ...answer.records[0], pool_id: id });
  };
  await world.minutes(minutes.length);
  await world.stop();
  return { notice: lastEnd(world), story: world.story() };
}

function lastEnd(world: World): Notice {
  const notice = world.told.findLast(({ kind }) => kind === "resolved")?.notice;
  if (notice === undefined) throw new Error(`nothing resolved: ${world.story().join()}`);
  return notice;
}

const reason = ({ fields }: Notice): string | undefined =>
  fields.find(({ name }) => name === "Reason")?.value;

const ABOVE = "when: {metric: tvl_usd, above: 100}";

describe("an alert that is over", () => {
  it("is green where its value is well again", async () => {
    const { notice } = await resolved(pool(ABOVE), [100, 110, 90]);
    expect(notice.headline).toBe("🟢 The pool TVL back to $90, limit $100. Fired for 1 min");
    expect(notice).not.toHaveProperty("ending");
    expect(reason(notice)).toBeUndefined();
  });

  describe("by a gate", () => {
    it("that closes over a condition that holds is not", async () => {
      const rules = GATE + pool(`${ABOVE}\n    only_while: cheap-gas`);
      const { notice } = await resolved(rules, [100, 110, 110], [1, 1, 1000]);
      expect(notice.headline).toBe(
        "⚪ Gate cheap-gas closed: The pool. The condition still holds. Fired for 1 min",
      );
      expect(notice.ending).toBe("gate");
      expect(reason(notice)).toBe("gate cheap-gas closed; the condition still holds");
    });

    it("is not while its resolve_when does not hold, either", async () => {
      const rules =
        GATE + pool(`${ABOVE}\n    resolve_when: {below: 80}\n    only_while: cheap-gas`);
      const { notice } = await resolved(rules, [100, 110, 95, 95], [1, 1, 1, 1000]);
      expect(notice.headline).toContain("⚪ Gate cheap-gas closed: The pool. It had not recovered");
      expect(notice.ending).toBe("gate");
    });

    it("says so where the condition is over, and waited for its resolve_after", async () => {
      const rules = GATE + pool(`${ABOVE}\n    resolve_after: 10m\n    only_while: cheap-gas`);
      const { notice } = await resolved(rules, [100, 110, 90, 90], [1, 1, 1, 1000]);
      expect(notice.headline).toMatch(/^🟢 The pool TVL back to \$90.*\. Gate cheap-gas closed/);
      expect(reason(notice)).toBe("gate cheap-gas closed; the condition no longer holds");
    });

    it("does not, where it had ended by itself before the gate closed, and was held back", async () => {
      const keys = `resolve_after: 2m\n    only_while: cheap-gas\n    unless: noise`;
      const noise = GATE.replace("cheap-gas", "noise").replace(GATE_ID, NOISE_ID);
      const rules = GATE + noise + pool(`${ABOVE}\n    ${keys}`);
      const { notice, story } = await resolved(
        rules,
        [100, 110, 90, 90, 90, 90, 90],
        [1, 1, 1, 1, 1, 1000, 1000],
        [1000, 1000, 1, 1, 1, 1, 1000],
      );
      expect(story).toEqual(["2 fired", "7 resolved"]);
      expect(notice.headline).toMatch(/^🟢 The pool TVL back to \$90/);
      expect(reason(notice)).toBeUndefined();
    });

    it("waits while the verdict is not known: a gate changes nothing until it is", async () => {
      const rules = GATE + pool(`${ABOVE}\n    only_while: cheap-gas`);
      const unknown = [100, 110, absent, absent, 110, 110];
      const { story } = await resolved(rules, unknown, [1, 1, 1000, 1000, 1000, 1000]);
      expect(story).toEqual(["2 fired", "5 resolved"]);
      const opened = await resolved(
        rules,
        [100, 110, absent, absent, 110, 90],
        [1, 1, 1000, 1000, 1],
      );
      expect(opened.story).toEqual(["2 fired", "6 resolved"]);
      const known = await resolved(rules, [100, 110, absent, absent, 90], [1, 1, 1000]);
      expect(known.notice.headline).toMatch(/^🟢/);
    });
  });

  describe("by an edit", () => {
    async function editedTo(keys: string, values: Minutes, count = 2): Promise<Notice> {
      const world = await World.create(`rules:${pool(ABOVE)}`);
      world.answer = (_ask, date) => at(values, date);
      await world.minutes(2);
      await world.restart(`rules:${pool(keys)}`);
      await world.minutes(count);
      await world.stop();
      return lastEnd(world);
    }

    it("of the limit is not", async () => {
      const notice = await editedTo("when: {metric: tvl_usd, above: 200}", [100, 110]);
      expect(notice.headline).toBe(
        "⚪ Rule edited, no longer firing: The pool. TVL $110. Fired for 1 min",
      );
      expect(notice.ending).toBe("edited");
      expect(reason(notice)).toBe("the rule was edited; it fired under: tvl_usd above 100");
    });

    it("nor of the whole condition, nor of resolve_when, also after resolve_after", async () => {
      const metric = await editedTo("when: {metric: swap_count, above: 100}", [
        100,
        ok(poolRecord({ tvl_usd: 110, swap_count: 1 })),
      ]);
      expect(metric.ending).toBe("edited");
      const later = await editedTo(
        "when: {metric: tvl_usd, above: 200}\n    resolve_after: 3m",
        [100, 110],
        5,
      );
      expect(later.ending).toBe("edited");
    });

    it("of what it is compared with is not, either", async () => {
      const withReference = (id: string): string => `
references:
  other: {watch: {kind: v4_pool, chain: 1, pools: [${id}]}, metric: tvl_usd}
rules:${pool("when: {metric: tvl_usd, above: 100% of other}")}`;
      const THIRD_ID = `0x${"ef".repeat(32)}`;
      const values: Record<string, number> = { [POOL_ID]: 110, [GATE_ID]: 100, [THIRD_ID]: 200 };
      const world = await World.create(withReference(GATE_ID));
      world.answer = ({ id }) => ok(poolRecord({ pool_id: id, tvl_usd: values[id] }));
      await world.minutes(2);
      await world.restart(withReference(THIRD_ID));
      await world.minutes(2);
      await world.stop();
      const notice = lastEnd(world);
      expect(notice.headline).toMatch(/^⚪ Rule edited, no longer firing: The pool/);
      expect(reason(notice)).toBe(
        "the rule was edited; it fired under: tvl_usd above 100% of other, other being tvl_usd of v4_pool:1:0xcdcdcd…cdcd",
      );
    });

    it("of anything else is, and so is what was true under the new limit", async () => {
      const severity = await editedTo(`${ABOVE}\n    severity: critical`, [100, 110, 90]);
      expect(severity.headline).toMatch(/^🟢 The pool TVL back to \$90/);
      const lower = await editedTo("when: {metric: tvl_usd, above: 105}", [100, 110, 110, 90]);
      expect(lower.headline).toMatch(/^🟢 The pool TVL back to \$90/);
    });
  });

  it("of a position that was emptied says that it is closed, and is not green", async () => {
    for (const when of [
      "{metric: in_range, equals: false}",
      "{metric: value_usd, above: 5}",
      "{all: [{metric: liquidity, above: 0}, {metric: in_range, equals: false}]}",
      "{metric: token0_share, outside: [20%, 80%]}",
    ]) {
      const world = await World.create(`rules:
  - name: range
    watch: {kind: v4_position, positions: [{id: 42, chain: 1, protocol: dexa, name: Treasury}]}
    when: ${when}
`);
      world.answer = ({ record }, date) => {
        const minute = Math.round((date - START) / MINUTE);
        if (record === "v4_pool") {
          return ok(poolRecord({ current_tick: minute < 2 ? -199_500 : -198_000 }));
        }
        return ok(
          positionRecord({
            liquidity: minute < 4 ? "5000" : "0",
            core_total_usd: minute < 2 || minute > 3 ? 0 : 10,
            ratio: minute < 2 || minute > 3 ? 0.5 : 1,
          }),
        );
      };
      await world.minutes(5);
      await world.stop();
      expect(world.story()).toEqual(["2 fired", "4 resolved"]);
      const notice = lastEnd(world);
      expect(notice.headline).toMatch(/^⚪ Closed: Treasury/);
      expect(notice.ending).toBe("closed");
    }
  });

  describe("of which any term is enough", () => {
    const minute = (tvl_usd: number, price0: number): Answer => ok(poolRecord({ tvl_usd, price0 }));
    const calm = [minute(1000, 2000), minute(1000, 2000)];

    it.each([
      "{any: [{metric: tvl_usd, below: 500}, {metric: price, below: 1900}]}",
      "{not: {all: [{metric: tvl_usd, at_least: 500}, {metric: price, at_least: 1900}]}}",
      "{not: {all: [{not: {metric: tvl_usd, below: 500}}, {not: {metric: price, below: 1900}}]}}",
    ])(
      "speaks of the term for which it fired, over a restart and at the end of a gap as well: %s",
      async (when) => {
        const rules = pool(`when: ${when}`);
        const ends = async (...middle: Answer[]): Promise<string> => {
          const { notice } = await resolved(rules, [...calm, ...middle, ...calm]);
          return notice.headline;
        };
        const low = minute(1000, 1800);
        const price = /^🟢 Resolved: The pool\. Price 2,000/;
        const tvl = /^🟢 Resolved: The pool\. TVL \$1,000/;
        expect(await ends(low)).toMatch(price);
        expect(await ends(low, low, absent)).toMatch(price);
        expect(await ends(minute(400, 2000))).toMatch(tvl);
        expect(await ends(low, minute(400, 2000))).toMatch(tvl);
        expect(await ends(minute(400, 1800), low)).toMatch(price);
        const within = `when: {all: [${when}, {metric: current_tick, below: 0}]}`;
        const { notice } = await resolved(pool(within), [...calm, low, ...calm]);
        expect(notice.headline).toMatch(price);
        const world = await World.create(`rules:${rules}`, {
          answer: (_ask, date) => at([...calm, low, low, ...calm], date),
        });
        await world.minutes(3);
        await world.restart();
        await world.minutes(3);
        await world.stop();
        expect(world.told.find(({ kind }) => kind === "fired")?.notice.headline).toMatch(
          /^🟠 The pool price 1,800/,
        );
        expect(lastEnd(world).headline).toMatch(price);
      },
    );

    it("and was held back, speaks of it also where it is on its way back once it is told", async () => {
      const keys = "unless: cheap-gas\n    resolve_after: 10m";
      const when = "when: {any: [{metric: tvl_usd, below: 500}, {metric: price, below: 1900}]}";
      const world = await World.create(`rules:${GATE}${pool(`${when}\n    ${keys}`)}`);
      const minutes = [...calm, minute(1000, 1800), ...calm];
      world.answer = ({ id }, date) => {
        if (id !== GATE_ID) return at(minutes, date);
        return ok(poolRecord({ pool_id: id, tvl_usd: date < START + 5 * MINUTE ? 1 : 1000 }));
      };
      await world.minutes(5);
      await world.stop();
      expect(world.story()).toEqual(["5 fired"]);
      expect(world.told.at(-1)?.notice.headline).toContain("The pool price");
    });

    it("which is forgotten where its firing ended before it was told", async () => {
      const when = "when: {any: [{metric: tvl_usd, below: 500}, {metric: price, below: 1900}]}";
      const world = await World.create(`rules:${GATE}${pool(`${when}\n    unless: cheap-gas`)}`);
      const minutes = [...calm, minute(1000, 1800), ...calm, ...Array(6).fill(absent), ...calm];
      world.answer = ({ id }, date) => {
        if (id !== GATE_ID) return at(minutes, date);
        return ok(poolRecord({ pool_id: id, tvl_usd: date < START + 5 * MINUTE ? 1 : 1000 }));
      };
      await world.minutes(minutes.length);
      await world.stop();
      expect(world.story()).toEqual(["10 no_data", "12 data_back"]);
      expect(world.told.at(-1)?.notice.headline).toContain("TVL $1,000");
    });

    it("says that a position is back in range only where it was out", async () => {
      const rules = `
  - name: mine
    watch: {kind: v4_position, chain: 1, protocol: dexa, positions: [{id: 42, name: Treasury}]}
    when: {any: [{metric: in_range, equals: false}, {metric: value_usd, below: 1000}]}
`;
      const story = [
        [-199_500, 5000],
        [-199_500, 900],
        [-199_500, 5000],
        [-198_000, 5000],
        [-199_500, 5000],
      ] as const;
      const world = await World.create(`rules:${rules}`, {
        answer: ({ record }, date) => {
          const [tick, usd] = story[Math.round((date - START) / MINUTE) - 1] ?? [0, 0];
          if (record === "v4_pool") return ok(poolRecord({ current_tick: tick }));
          return ok(positionRecord({ core_total_usd: usd }));
        },
      });
      await world.minutes(story.length);
      await world.stop();
      const [value, range] = world.told.filter(({ kind }) => kind === "resolved");
      expect(value?.notice.headline).toMatch(/^🟢 Resolved: Treasury\. Value \$5,000/);
      expect(range?.notice.headline).toMatch(/^🟢 Back in range: Treasury/);
    });
  });

  describe("by its window", () => {
    const quiet = Array.from({ length: 10 }, () => 1000);

    it("that has moved on is not green: what fell is still down", async () => {
      for (const keys of [
        "when: {metric: tvl_usd, falls: 10%, within: 5m}",
        "when: {metric: tvl_usd, moves: 100, within: 5m}",
        "when: {metric: tvl_usd, falls: 10%, since: last}",
        "when: {any: [{metric: tvl_usd, falls: 10%, within: 5m}, {metric: swap_count, above: 9}]}",
      ]) {
        const low = ok(poolRecord({ tvl_usd: 800, swap_count: 1 }));
        const start = quiet.map((tvl) => ok(poolRecord({ tvl_usd: tvl, swap_count: 1 })));
        const { notice } = await resolved(pool(keys), [...start, ...Array(8).fill(low)]);
        expect(notice.headline).toMatch(/^⚪ TVL (?:steady at|now) \$800/);
        expect(notice.ending).toBe("steady");
      }
    });

    it("is not where what moves went as far the other way meanwhile", async () => {
      const swung = [...quiet, 1200, 1200, ...Array.from({ length: 8 }, () => 880)];
      const rule = pool("when: {metric: tvl_usd, moves: 10%, within: 5m}");
      expect((await resolved(rule, swung)).notice.headline).toMatch(/^⚪ TVL steady at \$880/);
      const back = [...quiet, 1200, 1200, ...Array.from({ length: 8 }, () => 950)];
      expect((await resolved(rule, back)).notice.headline).toMatch(/^🟢 TVL steady at \$950/);
    });

    it("whose change was undone is", async () => {
      const back = [...quiet, 800, 800, ...Array.from({ length: 8 }, () => 950)];
      const { notice } = await resolved(
        pool("when: {metric: tvl_usd, falls: 10%, within: 5m}"),
        back,
      );
      expect(notice.headline).toMatch(/^🟢 TVL steady at \$950: The pool, \+19% since it/);
    });

    it("is not where it fell again, or never came back so far", async () => {
      const half = [...quiet, 800, 800, ...Array.from({ length: 8 }, () => 890)];
      const { notice } = await resolved(
        pool("when: {metric: tvl_usd, falls: 10%, within: 5m}"),
        half,
      );
      expect(notice.ending).toBe("steady");
    });

    it("of a rule that fires as long as nothing moves is, once it does", async () => {
      const { notice } = await resolved(
        pool("when: {not: {metric: tvl_usd, moves: 10%, within: 5m}}"),
        [...quiet, 800, 800],
      );
      expect(notice.headline).toMatch(/^🟢 Resolved: The pool\. TVL \$800/);
    });
  });

  it("by another of its terms is not, while the one that spoke holds", async () => {
    const keys =
      "when: {all: [{metric: tvl_usd, below: 500}, {metric: swap_count, above: 5}]}\n    severity: critical";
    const of = (tvl: number, swaps: number): Answer =>
      ok(poolRecord({ tvl_usd: tvl, swap_count: swaps }));
    const { notice } = await resolved(pool(keys), [of(1000, 9), of(400, 9), of(400, 1)]);
    expect(notice.headline).toBe("⚪ Resolved: The pool. TVL $400. Fired for 1 min");
    expect(notice.ending).toBe("partly");
    const first = await resolved(pool(keys), [of(1000, 9), of(400, 9), of(900, 9)]);
    expect(first.notice.headline).toMatch(/^🟢/);
  });

  describe("beside another rule on the same value", () => {
    const peg = (keys: string, name: string): string => pool(`${keys}\n    notify: [slack]`, name);
    const FAR = peg("when: {metric: tvl_usd, outside: [980, 1020]}", "depeg");
    const NEAR = peg("when: {metric: tvl_usd, outside: [995, 1005]}", "peg-slips");

    it("is not while that one fires: the peg is still off", async () => {
      const { notice } = await resolved(FAR + NEAR, [1000, 970, 990]);
      expect(notice.headline).toBe(
        "⚪ The pool TVL now $990, inside $980 to $1,020. peg-slips still fires",
      );
      expect(notice.ending).toBe("other_rule");
    });

    it("names the first of them by name, whichever is written first", async () => {
      const also = peg("when: {metric: tvl_usd, outside: [994, 1006]}", "off-peg");
      const { notice } = await resolved(FAR + NEAR + also, [1000, 970, 990]);
      expect(notice.headline).toMatch(/off-peg still fires$/);
    });

    it("is not while a range is left on the same side", async () => {
      const low = peg("when: {metric: tvl_usd, below: 500}", "low");
      const range = peg("when: {metric: tvl_usd, outside: [550, 1000]}", "range");
      const { notice } = await resolved(low + range, [600, 400, 520]);
      expect(notice.ending).toBe("other_rule");
    });

    it("is where both are over, or the other one looks the other way", async () => {
      const both = await resolved(FAR + NEAR, [1000, 970, 1000]);
      expect(both.notice.headline).toMatch(/^🟢 The pool TVL back to \$1,000/);
      const cheap = peg("when: {metric: tvl_usd, below: 500}", "low");
      const high = peg("when: {metric: tvl_usd, above: 900}", "high");
      const { notice } = await resolved(cheap + high, [600, 1000, 400]);
      expect(notice.headline).toMatch(/^🟢 The pool TVL back to \$400/);
      const over = peg("when: {metric: tvl_usd, below: 1000}", "low");
      const known = await resolved(over + high, [1050, 950, 850]);
      expect(known.notice.headline).toMatch(/^🟢 The pool TVL back to \$850/);
    });

    it("is where nobody heard of the other one", async () => {
      const silent = NEAR.replace("[slack]", "[]");
      const pending = NEAR.replace("notify:", "for: 10m\n    notify:");
      for (const other of [silent, pending]) {
        const { notice } = await resolved(FAR + other, [1000, 970, 990]);
        expect(notice.headline).toMatch(/^🟢 The pool TVL back to \$990/);
      }
    });
  });

  it("held back, and true again by the time that it is told, says so", async () => {
    const rules = `${GATE}${pool(`${ABOVE}\n    for: 5m\n    unless: cheap-gas`)}`;
    const values = [100, ...Array(6).fill(110), 90, 110, 110, 110];
    const gate = [...Array(7).fill(1000), 1, 1, 1000, 1000];
    const { notice, story } = await resolved(rules, values, gate);
    expect(story).toEqual(["7 fired", "10 resolved"]);
    expect(notice.headline).toMatch(/^⚪ Resolved: The pool\. The condition holds again/);
  });

  it("that fired for want of data says that it is back, whatever resolve_after says", async () => {
    const rules = pool(`${ABOVE}\n    on_missing: fire\n    resolve_after: 30m`);
    const { notice, story } = await resolved(rules, [100, ...Array(7).fill(absent), 90]);
    expect(story).toEqual(["6 fired", "9 resolved"]);
    expect(notice.headline).toBe("🟢 Data back after 8 min: The pool. Quiet: TVL $90");
  });

  it("for good says that it is not watched any more", async () => {
    const { notice } = await resolved(pool(`${ABOVE}\n    once: true`), [100, 110, 90]);
    expect(notice.fields).toContainEqual({
      name: "Once",
      value: "not watched until it is edited or rearmed",
    });
  });
});

describe("the colours of what is over", () => {
  const notice = async (closed: boolean): Promise<Notice> => {
    const rules = GATE + pool(`${ABOVE}\n    only_while: cheap-gas`);
    return closed
      ? (await resolved(rules, [100, 110, 110], [1, 1, 1000])).notice
      : (await resolved(rules, [100, 110, 90])).notice;
  };

  it("are green for what is well again alone, in every channel that has any", async () => {
    const [over, well] = [await notice(true), await notice(false)];
    expect(discordMessage(well).embeds[0].color).toBe(0x1e8e3e);
    expect(discordMessage(over).embeds[0].color).toBe(0x767b84);
    expect(emailHtml(partsOf(well))).toContain("border-left:4px solid #1e8e3e");
    expect(emailHtml(partsOf(over))).toContain("border-left:4px solid #767b84");
    expect(webhookBody(well)).toMatchObject({ ending: "recovered" });
    expect(webhookBody(over)).toMatchObject({ ending: "gate" });
  });

  it("of several together are not green if one of them is not", async () => {
    const [over, well] = [await notice(true), await notice(false)];
    const both = digestOf([well, { ...over, subject: "other" }], "m");
    expect(both.headline).toMatch(/^⚪ 2 notices of tvl: 1 resolved, 1 over/);
    expect(discordMessage(both).embeds[0].color).toBe(0x767b84);
    expect(digestOf([well, { ...well, subject: "other" }], "m").headline).toMatch(/^🟢/);
  });

  it("do not keep an incident open that is over", async () => {
    const [event] = pagerdutyEvents(await notice(true));
    expect(event?.event_action).toBe("resolve");
  });
});
