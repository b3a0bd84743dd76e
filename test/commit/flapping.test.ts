import { describe, expect, it } from "vitest";
import type { Answer } from "../../src/model/index.ts";
import { absent, failed, MINUTE, ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";

const RULE = `
rules:
  - name: tvl
    watch: {kind: v4_pool, chain: 1, pools: [{id: ${POOL_ID}, name: The pool}]}
    when: {metric: tvl_usd, below: 500}
`;

/** Lives through the minutes: `-` fires, `+` is fine, `0` has no data; spaces are for the eye. */
async function storyOf(text: string, yaml: string = RULE): Promise<World> {
  const minutes = [...text].filter((sign) => sign !== " ");
  const world = await World.create(yaml);
  world.answer = (_ask, date): Answer => {
    const sign = minutes[Math.round((date - START) / MINUTE) - 1];
    return sign === "0" ? absent : ok(poolRecord({ tvl_usd: sign === "-" ? 400 : 1000 }));
  };
  await world.minutes(minutes.length);
  await world.stop();
  return world;
}

const headlines = ({ told }: World): string[] => told.map(({ notice }) => notice.headline);

describe("flapping", () => {
  const five = "+ -+ -+ -+ -+ -+";

  it("is told in place of the sixth firing in an hour, and then nothing", async () => {
    const world = await storyOf(`${five} -+-+-+`);
    expect(world.story().slice(-3)).toEqual(["10 fired", "11 resolved", "12 flapping"]);
    expect(headlines(world).at(-1)).toBe(
      "🟠 Flapping: The pool fired 6 times in 1 h. Quiet until it settles",
    );
  });

  it("tells of all firings before it: the next one counts none of them again", async () => {
    const cooling = RULE.replace("below: 500}", "below: 500}\n    cooldown: 10m");
    const world = await storyOf(`${five} -+ ${"+".repeat(65)} -`, cooling);
    expect(world.story().slice(-4)).toEqual([
      "3 resolved",
      "12 flapping",
      "73 resolved",
      "79 fired",
    ]);
    const fired = world.told.at(-1)?.notice;
    expect(fired?.fields.map(({ name }) => name)).not.toContain("Held back");
  });

  it("counts the firings of (t - 1h, t]: one that is an hour old is not among them", async () => {
    // The first firing is at minute 2, so that at minute 62 it is an hour ago.
    const at61 = await storyOf(`${five} ${"+".repeat(49)} -+`);
    expect(at61.story().at(-1)).toBe("61 flapping");
    const at62 = await storyOf(`${five} ${"+".repeat(50)} -+`);
    expect(at62.story().slice(-2)).toEqual(["62 fired", "63 resolved"]);
  });

  it("ends with resolved after an hour without firing", async () => {
    const world = await storyOf(`${five} -+-+ ${"+".repeat(65)}`);
    expect(world.story().slice(-2)).toEqual(["12 flapping", "75 resolved"]);
  });

  it("ends in a round with a value", async () => {
    const world = await storyOf(`${five} -+-+ ${"+".repeat(59)} 00+`);
    expect(world.story().slice(-2)).toEqual(["12 flapping", "77 resolved"]);
  });

  it("ends with steady after an hour of firing, and then lives on as before", async () => {
    const world = await storyOf(`${five} -+-+- ${"-".repeat(60)} + -`);
    expect(world.story().slice(-4)).toEqual([
      "12 flapping",
      "76 steady",
      "77 resolved",
      "78 fired",
    ]);
    expect(headlines(world).at(-3)).toBe(
      "🟠 Steady, still firing since 2026-11-28 12:16 UTC: The pool",
    );
  });

  it("ends when at most two firings lie in two hours, however they lie", async () => {
    // From minute 13 on it fires every 50 minutes: never an hour on one side.
    const slow = `${"+".repeat(49)}-`.repeat(4);
    const world = await storyOf(`${five} -+ ${slow}`);
    // 63 and 113 are left of (12, 132], and one more of what came before.
    expect(world.story().slice(-5)).toEqual([
      "12 flapping",
      "132 resolved",
      "163 fired",
      "164 resolved",
      "213 fired",
    ]);
  });

  it("is told again every day while it lasts", async () => {
    const days = "-+++++++++".repeat(2 * 144 + 1);
    const world = await storyOf(`${five} ${days}`);
    expect(world.story().slice(-3)).toEqual(["12 flapping", "1452 flapping", "2892 flapping"]);
    expect(headlines(world).at(-1)).toBe("🟠 Still flapping after 2 d: The pool. Ethereum");
  });

  it("counts what was true at the start, and holds back reminders and worse", async () => {
    const yaml = `${RULE}    remind: 1m\n    worse_by: 1 usd\n`;
    const world = await storyOf("-+ -+ -+ -+ -+ ----- +", yaml);
    expect(world.story().slice(-2)).toEqual(["10 resolved", "11 flapping"]);
  });

  it("of gaps in the data is told likewise", async () => {
    const gap = "000000+";
    const world = await storyOf(`+ ${gap.repeat(7)} ${"+".repeat(61)}`);
    const told = world.story().slice(-3);
    expect(told).toEqual(["36 data_back", "41 flapping", "110 data_back"]);
    expect(headlines(world).at(-2)).toBe(
      "⚪ Data comes and goes: The pool, gone 6 times in 1 h. Quiet until it settles",
    );
  });

  it("of gaps ends with their return, not in the midst of a short one", async () => {
    const world = await storyOf(`+ ${"000000+".repeat(7)} ${"+".repeat(59)} 0 ++`);
    expect(world.story().slice(-2)).toEqual(["41 flapping", "111 data_back"]);
  });

  it("counts firings for want of data, whether that is missing or its request fails", async () => {
    const other = `0x${"cd".repeat(32)}`;
    const yaml = `${RULE.replace("pools: [", `pools: [${other}, `)}    on_missing: fire\n`;
    for (const gone of [absent, failed]) {
      const world = await World.create(yaml);
      world.answer = ({ id }, date): Answer => {
        const minute = Math.round((date - START) / MINUTE);
        const isGone = id === POOL_ID && minute > 1 && minute % 7 !== 1;
        return isGone ? gone : ok(poolRecord({ pool_id: id, tvl_usd: 1000 }));
      };
      await world.minutes(43);
      await world.stop();
      expect(world.story().slice(-3)).toEqual(["34 fired", "36 resolved", "41 flapping"]);
      const why = world.told.at(-1)?.notice.fields.find(({ name }) => name === "Reason");
      expect(why?.value).toBe(gone === failed ? "timed out after 10 s" : "not in the answer");
    }
  });

  it("counts the firings that nobody was told of, and gaps in the data once they are told", async () => {
    const other = `0x${"cd".repeat(32)}`;
    const yaml = `${RULE}    unless: gate
  - name: gate
    watch: {kind: v4_pool, chain: 1, pools: [${other}]}
    when: {metric: tvl_usd, below: 500}
    notify: []
`;
    const world = async (text: string, quiet: number): Promise<World> => {
      const minutes = [...text].filter((sign) => sign !== " ");
      const made = await World.create(yaml);
      made.answer = ({ id }, date): Answer => {
        const minute = Math.round((date - START) / MINUTE);
        const sign = minutes[minute - 1];
        if (id === other) {
          const tvl_usd = minute > 1 && minute <= quiet ? 1 : 1000;
          return ok(poolRecord({ pool_id: id, tvl_usd }));
        }
        return sign === "0" ? absent : ok(poolRecord({ tvl_usd: sign === "-" ? 400 : 1000 }));
      };
      await made.minutes(minutes.length);
      await made.stop();
      return made;
    };
    const firings = await world(`${five} + -`, 12);
    expect(firings.story()).toEqual(["13 flapping"]);
    const gap = `${"0".repeat(6)}+`;
    const gaps = await world(`+${gap.repeat(5)} +++ ${gap}`, 36);
    expect(gaps.story()).toEqual(["44 no_data", "46 data_back"]);
  });
});
