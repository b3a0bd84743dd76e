import { describe, expect, it } from "vitest";
import { KINDS } from "../../src/kinds/index.ts";
import { MINUTE, ok, POOL_ID, poolRecord, World } from "../support/world.ts";

const OTHER = `0x${"cd".repeat(32)}`;
const RULES = `rules:
  - {name: low, watch: {kind: v4_pool, chain: 1, pools: ["${OTHER}", "${POOL_ID}"]}, when: {metric: tvl_usd, below: 900}}
`;

describe("an answer that trips the reader of its kind", () => {
  it("leaves its own subject without data, and no other of the round", async () => {
    const pool = KINDS.get("v4_pool");
    if (pool === undefined) throw new Error("no such kind");
    let trips = false;
    const kinds = new Map(KINDS).set("v4_pool", {
      ...pool,
      read: (subject, ...rest) => {
        if (trips && subject.key.endsWith(OTHER)) throw new Error("tripped");
        return pool.read(subject, ...rest);
      },
    });
    let tvl = 1_000;
    const world = await World.create(RULES, { kinds });
    world.answer = ({ id }) => ok(poolRecord({ pool_id: id, tvl_usd: tvl }));
    await world.run(2 * MINUTE);
    trips = true;
    await world.run(2 * MINUTE);
    tvl = 800;
    await world.run(5 * MINUTE);
    trips = false;
    await world.run(2 * MINUTE);
    const of = (id: string): string[] =>
      world.told
        .filter(({ notice }) => notice.subject?.endsWith(id))
        .map(({ minute, kind }) => `${minute} ${kind}`);
    expect(of(POOL_ID)).toEqual(["5 fired"]);
    expect(of(OTHER)).toEqual(["7 no_data", "10 data_back", "10 fired"]);
    await world.stop();
  });
});
