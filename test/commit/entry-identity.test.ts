import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Answer, type Ask, NO_CHANGE, type RawRecord } from "../../src/model/index.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { propertyRuns } from "../support/tier.ts";
import { absent, failed, ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";

const SWAPS = `
rules:
  - name: swap
    watch: {kind: v4_swaps, chain: 1, pools: ["${POOL_ID}"]}
    when: {metric: amount1_abs, above: 1000 raw}
    severity: info
    notify: [slack]
`;
const LIQUIDITY = `
rules:
  - name: moved
    watch: {kind: v4_liquidity, chain: 1, pools: ["${POOL_ID}"]}
    when: {metric: liquidity_delta, not_equals: 0}
    severity: info
    notify: [slack]
`;

let serial = 0;
const text = (n: number, digits: number): string => `0x${n.toString(16).padStart(digits, "0")}`;

/** A swap; all are alike but for what makes each of them another one. */
function swap(given: RawRecord = {}): RawRecord {
  serial += 1;
  return {
    transaction_hash: text(serial, 64),
    block_number: 1_000 + serial,
    timestamp: new Date(START + serial * 12_000).toISOString(),
    sender: text(5, 40),
    recipient: text(6, 40),
    amount0: "-500",
    amount1: "2000",
    sqrt_price_x96: "3618602270101715334278112",
    tick: -199_890,
    liquidity: "1000000",
    ...given,
  };
}

function change(given: RawRecord = {}): RawRecord {
  serial += 1;
  return {
    id: `${POOL_ID}-${serial}`,
    pool_id: POOL_ID,
    pool_entity_id: POOL_ID,
    liquidity_delta: "-5",
    salt: text(7, 64),
    sender_id: text(8, 40),
    sender: text(9, 40),
    tick_lower: -200_000,
    tick_upper: -199_000,
    hash: text(serial, 64),
    tx_at_timestamp: String(START / 1_000 + serial * 12),
    tx_at_block_number: String(1_000 + serial),
    ...given,
  };
}

/** What a field of a record is sent as for a while. */
type Spoil = Readonly<Record<string, (value: unknown) => unknown>>;

const toNull = (): null => null;
const toMissing = (): undefined => undefined;
const toOther = (value: unknown): unknown => {
  if (typeof value === "number") return value + 1;
  const old = String(value);
  return old.endsWith("Z")
    ? new Date(Date.parse(old) + 1_000).toISOString()
    : `${old.slice(0, -1)}${old.endsWith("1") ? "2" : "1"}`;
};

function spoilt(records: readonly RawRecord[], spoil: Spoil): RawRecord[] {
  return records.map((record) => ({
    ...record,
    ...Object.fromEntries(Object.entries(spoil).map(([name, how]) => [name, how(record[name])])),
  }));
}

/** A service that lists the newest first, spoilt as it is at the moment. */
class Service {
  all: RawRecord[];
  spoil: Spoil = {};
  down = false;
  pool: Answer = ok(poolRecord());

  constructor(all: readonly RawRecord[]) {
    this.all = [...all];
  }

  answer = ({ record, offset = 0, limit = 0 }: Ask): Answer => {
    if (record === "v4_pool") return this.pool;
    if (record !== "v4_swap" && record !== "v4_liquidity") return absent;
    if (this.down) return failed;
    return ok(...spoilt(this.all.toReversed().slice(offset, offset + limit), this.spoil));
  };
}

async function make(
  yaml: string,
  all: readonly RawRecord[],
): Promise<{ world: World; service: Service }> {
  const service = new Service(all);
  const world = await World.create(yaml, { answer: (ask) => service.answer(ask) });
  await world.minutes(1);
  return { world, service };
}

const toldOf = (world: World): number => world.told.filter(({ kind }) => kind === "changed").length;

const kinds = [
  {
    name: "a swap",
    yaml: SWAPS,
    make: swap,
    key: "transaction_hash",
    fields: ["sender", "recipient", "timestamp", "sqrt_price_x96", "tick", "liquidity"],
    judged: "amount1",
    block: "block_number",
    time: "timestamp",
  },
  {
    name: "a change of liquidity",
    yaml: LIQUIDITY,
    make: change,
    key: "id",
    fields: [
      "sender_id",
      "sender",
      "salt",
      "hash",
      "tx_at_timestamp",
      "pool_entity_id",
      "tick_lower",
    ],
    judged: "liquidity_delta",
    block: "tx_at_block_number",
    time: "tx_at_timestamp",
  },
] as const;

describe.each(kinds)("$name is itself whatever else of it changes", (kind) => {
  const { yaml, fields, key, judged, block } = kind;
  const others = (how: (value: unknown) => unknown, ...names: readonly string[]): Spoil =>
    Object.fromEntries(names.map((name) => [name, how]));
  const cases: readonly (readonly [string, Spoil])[] = [
    ...fields.map((name) => [`${name} is another`, others(toOther, name)] as const),
    ["two are others", others(toOther, fields[0], fields[1])],
    ["all others are others", others(toOther, ...fields, judged)],
    ["two are missing", others(toNull, fields[0], fields[2])],
    ["all others are missing", others(toMissing, ...fields, judged)],
    ["its block is another", others(toOther, block)],
    ["its name is missing", others(toNull, key)],
    ["its name and one more are missing", others(toNull, key, fields[0])],
    ["its name and the time are missing", others(toMissing, key, fields[2])],
    [
      "its name is missing and one is another",
      { ...others(toNull, key), ...others(toOther, fields[1]) },
    ],
    ["its name and all but its block are missing", others(toNull, key, ...fields)],
  ];

  it.each(cases)("%s for a while", async (_, spoil) => {
    const { world, service } = await make(
      yaml,
      Array.from({ length: 30 }, () => kind.make()),
    );
    service.all.push(kind.make());
    await world.minutes(1);
    expect(toldOf(world)).toBe(1);
    for (const restart of [false, true]) {
      service.spoil = spoil;
      await world.minutes(2);
      if (restart) await world.restart();
      service.spoil = {};
      await world.minutes(1);
    }
    expect(toldOf(world)).toBe(1);
    // Nothing that comes is taken for what was there.
    service.spoil = spoil;
    service.all.push(kind.make(), kind.make());
    await world.minutes(2);
    service.spoil = {};
    await world.minutes(2);
    expect(toldOf(world)).toBe(3);
    await world.stop();
  });

  it("lacks one field in one round and its name in another", async () => {
    const { world, service } = await make(yaml, [kind.make()]);
    service.all.push(kind.make());
    for (const name of [fields[0], key, fields[1], key, judged, key]) {
      service.spoil = others(toNull, name);
      await world.minutes(1);
    }
    service.spoil = {};
    await world.minutes(1);
    expect(toldOf(world)).toBe(1);
    await world.stop();
  });

  it("has other fields changed in one round than in the next, in which its name is missing", async () => {
    const { world, service } = await make(yaml, [kind.make(), kind.make()]);
    service.spoil = others(toOther, fields[0], fields[3]);
    await world.minutes(1);
    service.spoil = {
      ...others(toOther, fields[1], fields[2], fields[5]),
      ...others(toNull, key),
    };
    await world.minutes(2);
    service.spoil = {};
    await world.minutes(2);
    expect(toldOf(world)).toBe(0);
    await world.stop();
  });

  it("is judged by what several rounds tell of it together", async () => {
    const sender = kind.make().sender;
    const both = yaml.replace(
      /when: (\{.*\})/,
      `when: {all: [$1, {metric: sender, equals: ${String(sender)}}]}`,
    );
    const { world, service } = await make(both, [kind.make()]);
    service.all.push(kind.make(), kind.make({ sender: text(1, 40) }));
    service.spoil = others(toNull, judged);
    await world.minutes(1);
    await world.restart();
    service.spoil = others(toNull, "sender", fields[3]);
    await world.minutes(2);
    expect(toldOf(world)).toBe(1);
    await world.stop();
  });

  it("is told once whatever is missing or another when, and none is lost", async () => {
    const how = fc.constantFrom(toNull, toMissing, toOther);
    const step = fc.record({
      added: fc.integer({ min: 0, max: 3 }),
      twins: fc.boolean(),
      together: fc.boolean(),
      spoil: fc
        .array(fc.tuple(fc.constantFrom(...fields), how), { maxLength: 4 })
        .map((pairs): Spoil => Object.fromEntries(pairs)),
      lacking: fc.constantFrom(null, null, null, key, judged),
      down: fc.integer({ min: 0, max: 5 }),
      restart: fc.integer({ min: 0, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 7 }), async (steps) => {
        const { world, service } = await make(yaml, [kind.make(), kind.make()]);
        let added = 0;
        for (const one of steps) {
          const blocks = service.all.length;
          for (let i = 0; i < one.added; i += 1) service.all.push(kind.make());
          const [first] = service.all.slice(blocks);
          if (one.together && first !== undefined) {
            // All of them in one block, and so at one time.
            const { [block]: at, [kind.time]: time } = first;
            const same = { [block]: at, [kind.time]: time };
            const made = service.all.splice(blocks).map((each) => ({ ...each, ...same }));
            service.all.push(...made);
          }
          added += one.added;
          const last = service.all.at(-1);
          if (one.twins && kind.key === "transaction_hash" && one.added > 0 && last !== undefined) {
            // Another swap of the same transaction, and one that looks the same.
            service.all.push({ ...last, amount1: "3000", sqrt_price_x96: "7" }, { ...last });
            added += 2;
          }
          service.spoil = {
            ...one.spoil,
            ...(one.lacking === null ? {} : { [one.lacking]: toNull }),
          };
          service.down = one.down === 0;
          if (one.restart === 0) await world.restart();
          await world.minutes(1);
        }
        service.spoil = {};
        service.down = false;
        await world.minutes(3);
        expect(toldOf(world)).toBe(added);
        const ids = world.told
          .filter(({ kind: told }) => told === "changed")
          .map(({ notice }) => notice.id);
        expect(new Set(ids).size).toBe(ids.length);
        await world.stop();
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});

describe("a list of which an answer shows a part", () => {
  it.each(kinds)("has no news when all of it is shown again: $name", async (kind) => {
    const { world, service } = await make(
      kind.yaml,
      Array.from({ length: 60 }, () => kind.make()),
    );
    const { answer } = service;
    for (const most of [2, 0, 30]) {
      service.answer = (ask) => answer({ ...ask, limit: Math.min(most, ask.limit ?? 0) });
      service.all.push(kind.make());
      await world.minutes(1);
      service.answer = answer;
      await world.minutes(1);
    }
    expect(toldOf(world)).toBe(3);
    await world.stop();
  });
});

describe("several swaps of one transaction", () => {
  it("stay as many as they are while fields of theirs are others", async () => {
    const { world, service } = await make(SWAPS, [swap()]);
    const one = swap();
    service.all.push(one, { ...one }, { ...one, amount1: "9000", sqrt_price_x96: "5" });
    await world.minutes(1);
    expect(toldOf(world)).toBe(3);
    service.spoil = { sender: toOther, liquidity: toNull, sqrt_price_x96: toOther };
    await world.minutes(1);
    // A fourth one comes late, while they look otherwise.
    service.all.push({ ...one, amount1: "4000", sqrt_price_x96: "6" });
    await world.minutes(2);
    service.spoil = {};
    await world.minutes(2);
    expect(toldOf(world)).toBe(4);
    await world.stop();
  });
});

describe("a list whose longer pages are spoilt", () => {
  it.each(kinds)("is told entry by entry, each once: $name", async (kind) => {
    const { world, service } = await make(
      kind.yaml,
      Array.from({ length: 300 }, () => kind.make()),
    );
    const { answer } = service;
    const [first, second] = kind.fields;
    service.answer = (ask) => {
      service.spoil = (ask.limit ?? 0) > 100 ? { [first]: toOther, [second]: toNull } : {};
      return answer(ask);
    };
    for (let i = 0; i < 150; i += 1) service.all.push(kind.make());
    await world.minutes(3);
    expect(toldOf(world)).toBe(150);
    await world.stop();
  });
});

describe("a list that was followed before entries were known by more than their content", () => {
  it.each(kinds)("goes on from what is stored of it: $name", async (kind) => {
    const store = createMemoryStore();
    const service = new Service([kind.make(), kind.make()]);
    const world = await World.create(kind.yaml, { store, answer: (ask) => service.answer(ask) });
    await world.minutes(1);
    const [subject = "", value = ""] = [...(await store.load()).cursors][0] ?? [];
    // As it was written then: a hash of all but the name in place of the fields.
    const old = value.replaceAll(/"[\w.-]{30,}"/g, '"AbCdEfGh"');
    expect(old).not.toBe(value);
    await world.stop();
    const none = { subject, value: old };
    await store.commit({ ...NO_CHANGE, cursors: [none] });
    await world.open();
    service.spoil = { [kind.fields[0]]: toOther, [kind.fields[1]]: toNull };
    service.all.push(kind.make());
    await world.minutes(1);
    service.spoil = { [kind.key]: toNull };
    await world.minutes(1);
    service.spoil = {};
    await world.minutes(1);
    expect(toldOf(world)).toBe(1);
    await world.stop();
  });
});
