import { beforeAll, describe, it } from "vitest";
import { KINDS } from "../../src/kinds/index.ts";
import { needsNode } from "../support/of-nodes.ts";
import { only, status } from "../support/spoils.ts";
import { CASES } from "../support/spoilt-cases.ts";
import { laterRequests, limitsBroken } from "../support/spoilt-limits.ts";
import { entriesOf, KINDS_OF_RULES, type Life, live } from "../support/spoilt-run.ts";
import { spoiltLife } from "../support/spoilt-suite.ts";
import { pass, WHOLE } from "../support/tier.ts";

let good: Life;

beforeAll(async () => {
  good = await live({ spoil: null });
});

describe("every watch kind, undisturbed", () => {
  it("is watched on two subjects, fills whole batches, and has something to tell", ({ expect }) => {
    expect([...KINDS_OF_RULES].toSorted()).toEqual(
      [...KINDS.values()]
        .filter((kind) => kind.variantOf === undefined && !needsNode(kind))
        .map(({ kind }) => kind)
        .toSorted(),
    );
    expect(good.journal.deviations).toEqual([]);
    const most = (endpoint: string, param: string): number =>
      Math.max(
        ...good.journal.arrivals
          .filter((one) => one.endpoint === endpoint)
          .map(({ params }) => params.getAll(param).flatMap((text) => text.split(",")).length),
      );
    expect(most("v4_pool", "pool_ids")).toBe(20);
    expect(most("v4_position", "nft_ids")).toBe(20);
    expect(most("supply", "token")).toBe(20);
    expect(most("legacy_balances", "wallets")).toBe(100);
    // A subject is asked once a round; what tokens and pools are each group of rules asks in its first.
    const again = [...good.journal.byRound(({ url }) => url).values()].filter(
      ([first, second]) => second !== undefined && first?.at !== good.journal.arrivals[1]?.at,
    );
    expect(again).toEqual([]);
    expect([...good.alerts.values()].filter((state) => !/^(?:ok|firing)$/.test(state))).toEqual([]);
  });
});

const HARMLESS = pass(CASES.harmless, "numbers as text and text as numbers");

// In the short pass the life of the next one has it as well.
describe.runIf(WHOLE)("every watch kind, while the service answers harmlessly with", () => {
  it.for(HARMLESS)("$name: exactly the same notices", async (one, test) => {
    const { expect } = test;
    const life = await spoiltLife(one, good, test);
    expect(limitsBroken(life, good)).toEqual([]);
  });
});

describe("every watch kind, while one subject is answered with", () => {
  it.for(pass(CASES.ofOne, "nulls for one"))(
    `$name${WHOLE ? "" : `, and before and after with ${HARMLESS[0]?.name}`}: the others are right`,
    async (one, test) => {
      const { expect } = test;
      const [harmless] = WHOLE ? [] : HARMLESS;
      const otherwise = harmless === undefined ? {} : { otherwise: harmless.spoil };
      const life = await spoiltLife(one, good, test, otherwise);
      expect(limitsBroken(life, good)).toEqual([]);
    },
  );
});

describe("every watch kind, while the service answers with", () => {
  it.runIf(WHOLE).for([...CASES.ofAll, ...CASES.down])("$name", async (one, test) => {
    const life = await spoiltLife(one, good, test);
    const { expect } = test;
    expect(limitsBroken(life, good)).toEqual([]);
    if (!one.name.startsWith("429")) return;
    // Five minutes are to pass, and rounds come every three.
    const [, second] = laterRequests(life);
    expect(laterRequests(life)[0]).toBe(0);
    expect(second).toBeGreaterThan(0);
  });

  // The short pass has a refused key in every-kind.test.ts.
  it.runIf(WHOLE).for([401, 403])("%i, for the key", async (code, { expect }) => {
    const life = await live({ spoil: status(code), rounds: 8 });
    expect(limitsBroken(life, good)).toEqual([]);
    // One try in each round that comes later than a minute.
    expect(laterRequests(life)).toEqual([1, 1, 1]);
    const own = life.told.filter(({ kind }) => kind.startsWith("source_"));
    expect(own.map(({ kind }) => kind)).toEqual(["source_down", "source_up"]);
    // No alert fires or resolves, and none says that its data is missing.
    const others = life.told.filter(
      ({ rule, kind, began }) =>
        kind !== "started" && began !== true && rule !== null && !rule.startsWith("source-"),
    );
    expect(others.filter(({ kind }) => kind !== "changed")).toEqual([]);
    const changed = others.filter(({ kind }) => kind === "changed");
    expect(changed.filter(({ rule }) => !/-(?:moves|each)$/.test(rule ?? ""))).toEqual([]);
    expect(life.alerts).toEqual(good.alerts);
    // No entry is lost or told twice; the life is longer, so that there are more of them.
    for (const [key, entries] of entriesOf(good)) {
      const all = entriesOf(life).get(key) ?? [];
      expect(all.slice(0, entries.length)).toEqual(entries);
    }
  });

  // The short pass has silence in bad-input.test.ts.
  it.runIf(WHOLE).for(CASES.silent)("$name", async (one, test) => {
    const { expect } = test;
    // All at once, so that few time limits are waited for one after the other.
    const life = await spoiltLife(one, good, test, { silent: true, concurrency: 64 });
    expect(limitsBroken(life, good, 64)).toEqual([]);
  });
});

describe("the requests for every watch kind", () => {
  it.runIf(WHOLE)(
    "are one a minute while the key is refused, and go on within a minute",
    async ({ expect }) => {
      const life = await live({ spoil: status(401), during: 9, rounds: 13, roundMs: 20_000 });
      // Three minutes; those of the first round were under way before they could know.
      const later = laterRequests(life);
      expect(later.length).toBe(8);
      expect(later.reduce((sum, count) => sum + count, 0)).toBe(2);
      expect([...life.alerts.values()].filter((state) => !/^(?:ok|firing)$/.test(state))).toEqual(
        [],
      );
    },
  );

  it.runIf(WHOLE)("are bounded where every other id is refused", async ({ expect }) => {
    const isOdd = (text: string): boolean => /[13579bdf]$/i.test(text);
    const spoil = only(
      ({ params }) => [...params.values()].flatMap((text) => text.split(",")).some(isOdd),
      status(400),
    );
    const life = await live({ spoil });
    expect(limitsBroken(life, good)).toEqual([]);
  });

  it.runIf(WHOLE)(
    "are as few a second as the configuration says, retries included",
    async ({ expect }) => {
      const life = await live({ spoil: status(503), during: 1, rounds: 1, requestsPerSecond: 150 });
      expect(life.journal.arrivals.length).toBeGreaterThan(200);
      // A busy machine may see what left apart arrive together, and late, but never all of it too early.
      const { arrivals } = life.journal;
      const tookMs = (arrivals.at(-1)?.arrived ?? 0) - life.beganAt;
      expect(tookMs).toBeGreaterThan((Math.ceil(arrivals.length / 150) - 1) * 1_000 - 50);
    },
  );
});
