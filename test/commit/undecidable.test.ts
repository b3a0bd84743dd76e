import { describe, expect, it } from "vitest";
import { KINDS } from "../../src/kinds/index.ts";
import type { Reading, WatchKind } from "../../src/kinds/kind.ts";
import { MINUTE, ok, poolRecord, START, World } from "../support/world.ts";

const idOf = (index: number): string => `0x${index.toString(16).padStart(64, "0")}`;
const [FINE, ODD] = [idOf(1), idOf(2)];

/** What a pool is worth when a fault of the program keeps it from being decided. */
const FAULTY = 13;

function fail(): never {
  throw new Error("a fault of the program");
}

/** Pools whose value, or whatever else an alert is decided by, throws when it is asked for. */
function faulty(part: "value" | "closed" | "marks"): typeof KINDS {
  const pool = KINDS.get("v4_pool");
  if (pool === undefined) throw new Error("no pools");
  const read: WatchKind["read"] = (subject, answers, date, cursor) => {
    const reading = pool.read(subject, answers, date, cursor);
    const [row] = reading.rows;
    if (String(row?.value("tvl_usd")) !== String(FAULTY)) return reading;
    const rows = [Object.create(row ?? null, { value: { value: fail } })];
    const parts = { value: { rows: { value: rows } }, closed: { closed: { get: fail } } };
    const marks = { marks: { value: fail } };
    return Object.create(reading, { ...parts, marks }[part]) as Reading;
  };
  return new Map(KINDS).set("v4_pool", { ...pool, read });
}

const LOW = `
rules:
  - name: low
    watch: {kind: v4_pool, chain: 1, pools: [${ODD}, ${FINE}]}
    when: {metric: tvl_usd, below: 500}
`;
const GATES = `
rules:
  - name: gated
    watch: {kind: v4_pool, chain: 1, pools: [${FINE}]}
    when: {metric: tvl_usd, below: 700}
    only_while: [gate]
  - name: gate
    watch: {kind: v4_pool, chain: 1, pools: [${ODD}]}
    when: {metric: tvl_usd, below: 500}
    notify: []
`;

describe.each(["value", "closed", "marks"] as const)(
  "a subject that cannot be decided by its %s",
  (part) => {
    it.each([
      [
        "leaves its round to the others",
        LOW,
        ["1 fired low 2", "2 fired low 1", "4 resolved low 2", "5 resolved low 1"],
      ],
      ["counts as it was as a gate", GATES, ["2 fired gated 1", "4 resolved gated 1"]],
    ])("%s", async (_, yaml, story) => {
      const worth = { [ODD]: [400, FAULTY, FAULTY, 900], [FINE]: [900, 400, 400, 400, 900] };
      const world = await World.create(yaml, { kinds: faulty(part) });
      world.answer = ({ id }, date) => {
        const line = worth[id] ?? [];
        const tvl = line[Math.round((date - START) / MINUTE) - 1] ?? line.at(-1);
        return ok(poolRecord({ pool_id: id, tvl_usd: tvl }));
      };
      await world.minutes(5);
      await world.stop();
      const told = world.told.filter(({ kind }) => kind !== "started");
      expect(
        told.map(
          ({ minute, kind, notice }) =>
            `${minute} ${kind} ${notice.rule} ${notice.subject?.at(-1)}`,
        ),
      ).toEqual(story);
    });
  },
);

it.each(["value", "closed", "marks"] as const)(
  "a subject that cannot be decided by its %s for long is told to have no data, with gates and without",
  async (part) => {
    for (const yaml of [LOW, GATES.replace("    notify: []\n", "")]) {
      const world = await World.create(yaml, { kinds: faulty(part) });
      world.answer = ({ id }, date) => {
        const minute = Math.round((date - START) / MINUTE);
        const isOdd = id === ODD && minute > 1 && minute < 9;
        return ok(poolRecord({ pool_id: id, tvl_usd: isOdd ? FAULTY : 900 }));
      };
      await world.minutes(9);
      await world.stop();
      expect(world.story()).toEqual(["6 no_data", "9 data_back"]);
    }
  },
);

describe.each(["judged", "decided"] as const)("a fault of whoever hears what was %s", (what) => {
  it("neither repeats a notice nor keeps the next from coming", async () => {
    const world = await World.create(LOW, {
      answer: ({ id }, date) => {
        const line = [900, 400, 400, 400, 900];
        return ok(
          poolRecord({ pool_id: id, tvl_usd: line[Math.round((date - START) / MINUTE) - 1] }),
        );
      },
    });
    world.onEvent = ({ kind }) => {
      if (kind === what) fail();
    };
    await world.minutes(5);
    await world.stop();
    expect(world.story()).toEqual(["2 fired", "2 fired", "5 resolved", "5 resolved"]);
    expect(world.refused).toEqual([]);
  });
});
