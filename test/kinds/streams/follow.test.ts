import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstWant, follow } from "../../../src/kinds/streams/follow.ts";
import {
  formOf,
  type Item,
  SIZES,
  type Sizes,
  type Want,
} from "../../../src/kinds/streams/item.ts";
import { propertyRuns } from "../../support/tier.ts";

/** Small pages, so that few entries make many of them. */
const SMALL: Sizes = { small: 10, big: 40, lap: 6, keep: 20 };
const MOST_WAVES = 5;

type Listing = "newest first" | "oldest first";

/** A list as a service keeps it, sorted by block, and what a follower was told of it. */
class World {
  /** Oldest first; twins share a hash. */
  entries: Item<number>[] = [];
  told: string[] = [];
  gaps: string[] = [];
  requests = 0;
  cursor: string | null = null;
  block = 100;
  next = 0;
  onRequest: () => void = () => {};

  constructor(
    readonly listing: Listing,
    readonly sizes: Sizes = SMALL,
    readonly arrange: (page: readonly Item<number>[]) => readonly Item<number>[] = (page) => page,
  ) {}

  /** A new block of so many entries, the last two of them twins if wanted; or some that come late. */
  grow(count: number, twins = false, late = 0): Item<number>[] {
    if (late === 0) this.block += 1;
    const place = this.block - late;
    const added = Array.from({ length: count }, (_, i): Item<number> => {
      const value = this.next;
      this.next += 1;
      const hash = twins && i > 0 ? `e${value - i}` : `e${value}`;
      return { hash, place, at: place * 12_000, value };
    });
    const index = this.entries.findLastIndex((one) => one.place <= place) + 1;
    this.entries.splice(index, 0, ...added);
    return added;
  }

  page({ offset, limit }: Want): readonly Item<number>[] {
    const listed = this.listing === "oldest first" ? this.entries : this.entries.toReversed();
    const page = this.arrange(listed.slice(offset, offset + limit));
    this.requests += 1;
    this.onRequest();
    return page;
  }

  /** One round, as the rounds make it; what it came to. */
  round(fails: (want: Want) => boolean = () => false): "failed" | "baseline" | "read" {
    const pages = new Map<string, readonly Item<number>[] | "failed">();
    const key = ({ offset, limit }: Want): string => `${offset}/${limit}`;
    let wants: readonly Want[] = [firstWant(this.cursor, this.sizes)];
    for (let wave = 1; wave <= MOST_WAVES && wants.length > 0; wave += 1) {
      for (const want of wants) {
        pages.set(key(want), fails(want) ? "failed" : this.page(want));
      }
      const step = follow((want) => pages.get(key(want)), this.cursor, false, this.sizes);
      wants = step.status === "asking" ? step.wants : [];
    }
    const end = follow((want) => pages.get(key(want)), this.cursor, true, this.sizes);
    if (end.status !== "read") return "failed";
    this.cursor = end.cursor;
    this.told.push(...end.fresh.map(({ id }) => id));
    if (end.gap !== null) this.gaps.push(end.gap);
    return end.baseline ? "baseline" : "read";
  }

  /** Rounds until there is a baseline. */
  settle(): void {
    for (let i = 0; i < 40 && this.round() === "baseline"; i += 1);
  }
}

/** How often each content was told of. */
function counts(ids: readonly string[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const id of ids) {
    const hash = id.split(":")[0] ?? "";
    found.set(hash, (found.get(hash) ?? 0) + 1);
  }
  return found;
}

const shuffled =
  (seed: number) =>
  (page: readonly Item<number>[]): readonly Item<number>[] =>
    page.toSorted((a, b) => ((a.value * 7919 + seed) % 101) - ((b.value * 7919 + seed) % 101));

const arrangements = {
  "as they are": (page: readonly Item<number>[]) => page,
  "turned around": (page: readonly Item<number>[]) => page.toReversed(),
  "in any order": shuffled(13),
};

const listings: readonly Listing[] = ["newest first", "oldest first"];
const cases = listings.flatMap((listing) =>
  Object.entries(arrangements).map(([name, arrange]) => ({ listing, name, arrange })),
);

describe("following a list", () => {
  describe.each(cases)("$listing, pages $name", ({ listing, arrange }) => {
    const make = (): World => new World(listing, SMALL, arrange);

    it("tells each entry after the baseline once, in the order of the blocks", () => {
      const world = make();
      for (let i = 0; i < 60; i += 1) world.grow(3);
      world.settle();
      expect(world.told).toEqual([]);
      const added: Item<number>[] = [];
      for (const blocks of [1, 0, 3, 8, 1, 20, 0, 1]) {
        for (let i = 0; i < blocks; i += 1) added.push(...world.grow(2));
        world.round();
      }
      expect(world.gaps).toEqual([]);
      expect(counts(world.told)).toEqual(counts(added.map(({ hash }) => hash)));
      const places = world.told.map(
        (id) => added.find(({ hash }) => id.startsWith(`${hash}:`))?.place ?? 0,
      );
      expect(places).toEqual(places.toSorted((a, b) => a - b));
    });

    it("needs one request in a quiet round", () => {
      const world = make();
      for (let i = 0; i < 60; i += 1) world.grow(3);
      world.settle();
      world.round();
      const { requests, cursor } = world;
      world.round();
      world.grow(1);
      world.round();
      expect(world.requests - requests).toBe(2);
      expect(world.cursor).not.toBe(cursor);
    });

    it("keeps twins apart, also when one of them comes later", () => {
      const world = make();
      world.grow(3);
      world.settle();
      world.grow(3, true);
      world.round();
      expect(world.told.map((id) => id.split(":")[1])).toEqual(["1", "2", "3"]);
      const twin = world.entries.at(-1);
      if (twin !== undefined) world.entries.push(twin);
      world.round();
      expect(world.told).toHaveLength(4);
      expect(new Set(world.told).size).toBe(4);
    });
  });

  it.each(listings)("takes a list that repeats all of itself for the list (%s)", (listing) => {
    let repeating = false;
    const world = new World(listing, SIZES, (page) =>
      repeating ? page.flatMap((item) => [item, item]) : page,
    );
    for (let i = 0; i < 30; i += 1) world.grow(3);
    world.settle();
    repeating = true;
    for (let i = 0; i < 4; i += 1) world.grow(3, true);
    world.round();
    // Twins among entries that are repeated are twins all the same.
    expect(world.told).toHaveLength(12);
    repeating = false;
    world.round();
    expect(world.told).toHaveLength(12);
  });

  it("knows an entry by its own name, however often it is shown", () => {
    const world = new World("newest first", SMALL, (page) =>
      page.flatMap((item) => [item, item]).map((item) => ({ ...item, unique: true })),
    );
    world.grow(2);
    world.settle();
    world.grow(1);
    world.round();
    expect(world.told).toHaveLength(1);
  });

  it.each(listings)("tells nothing and forgets nothing when a page fails (%s)", (listing) => {
    const world = new World(listing);
    for (let i = 0; i < 30; i += 1) world.grow(3);
    world.settle();
    const { cursor } = world;
    for (let i = 0; i < 20; i += 1) world.grow(3);
    let asked = 0;
    expect(
      world.round(() => {
        asked += 1;
        return asked === 2;
      }),
    ).toBe("failed");
    expect(world.cursor).toBe(cursor);
    expect(world.told).toEqual([]);
    world.round();
    expect(world.told).toHaveLength(60);
  });

  it("takes an empty list for a baseline: all that comes is news", () => {
    for (const listing of listings) {
      const world = new World(listing);
      expect(world.round()).toBe("baseline");
      for (let i = 0; i < 12; i += 1) world.grow(2);
      world.round();
      expect(world.told).toHaveLength(24);
      expect(world.gaps).toEqual([]);
    }
  });

  it.each(listings)("does not tell again what an old answer shows (%s)", (listing) => {
    const world = new World(listing);
    for (let i = 0; i < 40; i += 1) world.grow(3);
    world.settle();
    const now = world.entries;
    const newer = [now.slice(0, 90), now.slice(0, 40), now.slice(0, 5), []];
    for (const old of newer) {
      world.entries = old;
      world.round();
      world.entries = now;
      world.round();
    }
    expect(world.told).toEqual([]);
    expect(world.gaps).toEqual([]);
    world.grow(1);
    world.round();
    expect(world.told).toHaveLength(1);
  });

  it.each(listings)("tells of an entry that came late, once (%s)", (listing) => {
    const world = new World(listing);
    for (let i = 0; i < 40; i += 1) world.grow(2);
    world.settle();
    world.grow(1, false, 1);
    world.round();
    world.round();
    expect(world.told).toHaveLength(1);
  });

  it("says since when something is missing, and goes on from the newest", () => {
    const world = new World("newest first");
    for (let i = 0; i < 40; i += 1) world.grow(2);
    world.settle();
    for (let i = 0; i < 400; i += 1) world.grow(2);
    world.round();
    expect(world.gaps).toHaveLength(1);
    expect(world.gaps[0]).toMatch(/^what came between .* UTC and .* UTC could not be read$/);
    const told = world.told.length;
    expect(told).toBeGreaterThan(100);
    expect(world.told.at(-1)).toBe("e879:1");
    world.grow(2);
    world.round();
    expect(world.told.length - told).toBe(2);
    expect(world.gaps).toHaveLength(1);
  });

  it("catches up with a long list that grows at its end over several rounds, without a gap", () => {
    const world = new World("oldest first");
    for (let i = 0; i < 40; i += 1) world.grow(2);
    world.settle();
    for (let i = 0; i < 400; i += 1) world.grow(2);
    for (let i = 0; i < 8; i += 1) world.round();
    expect(world.gaps).toEqual([]);
    expect(world.told).toHaveLength(800);
    expect(new Set(world.told).size).toBe(800);
  });

  it("finds the end of a list of a million in few requests, over several rounds", () => {
    const world = new World("oldest first", SIZES);
    const total = 1_000_003;
    // Only its length is real: so many entries would take long to make.
    world.page = ({ offset, limit }) => {
      world.requests += 1;
      const left = Math.max(0, Math.min(limit, total - offset));
      return Array.from({ length: left }, (_, i) => {
        const place = offset + i;
        return { hash: `e${place}`, place, at: null, value: place };
      });
    };
    for (let i = 0; i < 7; i += 1) world.round();
    expect(world.requests).toBeLessThan(24);
    expect(world.round()).toBe("read");
    expect(world.told).toEqual([]);
  });

  it("notices that a list is sorted the other way now", () => {
    for (const [before, after] of [listings, listings.toReversed()]) {
      const world = new World(before!);
      for (let i = 0; i < 60; i += 1) world.grow(3);
      world.settle();
      const turned = new World(after!);
      turned.cursor = world.cursor;
      turned.entries = world.entries;
      for (let i = 0; i < 4; i += 1) turned.round();
      expect(turned.told).toEqual([]);
      turned.block = world.block;
      turned.next = world.next;
      const added = turned.grow(1).length;
      for (let i = 0; i < 4; i += 1) turned.round();
      expect(turned.told).toHaveLength(added);
    }
  });

  it("reads all of a list that is in no order", () => {
    const world = new World("newest first", SMALL);
    for (let i = 0; i < 30; i += 1) world.grow(2);
    const page = ({ offset, limit }: Want): readonly Item<number>[] =>
      shuffled(5)(world.entries).slice(offset, offset + limit);
    world.page = page;
    world.settle();
    for (let i = 0; i < 5; i += 1) {
      world.grow(2);
      world.round();
    }
    expect(world.told).toHaveLength(10);
    expect(new Set(world.told).size).toBe(10);
    expect(world.gaps).toEqual([]);
  });

  describe("pages that show the same entries in other forms", () => {
    /** An entry with two fields beside its name, of which it may lack some. */
    const formed = (n: number, name: string, lacks = 0, of = n): Item<number> => {
      const fields = [name, `a${of}`, `b${of}`];
      const content = fields.map((text, i) => ((lacks & (1 << i)) === 0 ? text : null));
      const form = formOf(content, 0);
      return { hash: content.join(), place: 100 + n, at: null, value: n, form };
    };
    /** What two overlapping pages, both of one list, make of it. */
    const toldOf = (front: readonly Item<number>[], big: readonly Item<number>[]): number[] => {
      const old = Array.from({ length: 40 }, (_, i) => formed(-i, `old${i}`));
      const sizes = { ...SMALL, small: 10 };
      const pageOf = (list: readonly Item<number>[]) => (want: Want) =>
        list.slice(want.offset, want.offset + want.limit);
      let cursor: string | null = null;
      for (const _ of [1, 2]) {
        const begun: ReturnType<typeof follow> = follow(pageOf(old), cursor, true, sizes);
        if (begun.status === "read") cursor = begun.cursor;
      }
      const pages = (want: Want) => pageOf(want.limit === 10 ? front : [...big, ...old])(want);
      const read = follow(pages, cursor, true, sizes);
      if (read.status !== "read") throw new Error("not read");
      const again = follow(pages, read.cursor, true, sizes);
      if (again.status === "read") expect(again.fresh).toEqual([]);
      return read.fresh.map(({ item }) => item.value);
    };
    const whole = Array.from({ length: 12 }, (_, i) => formed(12 - i, `n${12 - i}`));
    const front = whole.slice(0, 10);

    it("tell each once, in the fullest form", () => {
      for (const lacks of [0b010, 0b110, 0b001]) {
        const poorer = whole.map(({ value }) => formed(value, `n${value}`, lacks));
        const values = whole.map(({ value }) => value).toReversed();
        expect(toldOf(front, poorer)).toEqual(values);
        expect(toldOf(poorer.slice(0, 10), whole)).toEqual(values);
      }
    });

    it("keep apart what one page shows beside each other", () => {
      // Two swaps of one transaction, the second with less, on both pages or on the second only.
      const pair = [formed(12, "tx"), formed(12, "tx", 0b010, 13)];
      expect(toldOf([...pair, ...front.slice(1, 9)], [...pair, ...whole.slice(1)])).toHaveLength(
        13,
      );
      const twins = [formed(12, "tx", 0b010), formed(12, "tx", 0b010)];
      const first = [formed(12, "tx"), ...front.slice(1)];
      expect(toldOf(first, [...twins, ...whole.slice(1)])).toHaveLength(13);
    });

    it("may show different entries of one name that share no page", () => {
      const first = [formed(12, "tx"), ...front.slice(1)];
      const other = formed(12, "tx", 0b010, 13);
      expect(toldOf(first, [other, ...whole.slice(1)])).toHaveLength(13);
    });
  });

  it("starts anew from a cursor that it cannot read", () => {
    for (const text of ["", "{}", "[]", '{"seen":[[1]]}', "null", "{"]) {
      expect(firstWant(text)).toEqual({ offset: 0, limit: 100 });
      expect(follow(() => [], text, true)).toMatchObject({ status: "read", baseline: true });
    }
  });

  it("tells everything once, whatever grows when (against what was really there)", () => {
    const growth = fc.array(
      fc.record({ count: fc.integer({ min: 1, max: 3 }), twins: fc.boolean() }),
      { maxLength: 9 },
    );
    const round = fc.record({
      before: growth,
      during: fc.array(growth, { maxLength: 4 }),
      late: fc.boolean(),
      fails: fc.integer({ min: 0, max: 6 }),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...cases),
        fc.integer({ min: 0, max: 70 }),
        fc.array(round, { minLength: 1, maxLength: 8 }),
        ({ listing, arrange }, first, rounds) => {
          const world = new World(listing, SMALL, arrange);
          for (let i = 0; i < first; i += 1) world.grow(1 + (i % 3), i % 5 === 0);
          let sure: string[] = [];
          let possible: string[] = world.entries.map(({ hash }) => hash);
          let begun = false;
          const note = (added: readonly Item<number>[], certain: boolean): void => {
            const hashes = added.map(({ hash }) => hash);
            possible = possible.concat(hashes);
            if (certain && begun) sure = sure.concat(hashes);
          };
          const play = (one: (typeof rounds)[number]): void => {
            for (const { count, twins } of one.before) note(world.grow(count, twins), true);
            if (one.late && world.entries.length > 0) note(world.grow(1, false, 1), true);
            let asked = 0;
            world.onRequest = () => {
              for (const { count, twins } of one.during[asked] ?? []) {
                note(world.grow(count, twins), true);
              }
              asked += 1;
            };
            const result = world.round(() => asked + 1 === one.fails);
            // What came while the baseline was read may be part of it.
            if (result === "read") begun = true;
          };
          world.settle();
          begun = true;
          world.told = [];
          for (const one of rounds) play(one);
          const quiet = { before: [], during: [], late: false, fails: 0 };
          for (let i = 0; i < 6; i += 1) play(quiet);
          const told = counts(world.told);
          const all = counts(possible);
          expect(new Set(world.told).size).toBe(world.told.length);
          for (const [hash, count] of told) expect(count).toBeLessThanOrEqual(all.get(hash) ?? 0);
          if (world.gaps.length === 0) expect(told).toEqual(counts(sure));
        },
      ),
      { numRuns: propertyRuns(400) },
    );
  });
});
