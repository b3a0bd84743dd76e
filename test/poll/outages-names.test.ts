import { describe, expect, it } from "vitest";
import { SOURCE_RULE } from "../../src/model/index.ts";
import { ok, POOL_ID, poolRecord, World } from "../support/world.ts";

const rule = (name: string, pool: string, below: number): string =>
  `  - {name: ${name}, title: "{{ subject }}", watch: {kind: v4_pool, chain: 1, pools: [${pool}]}, when: {metric: tvl_usd, below: ${below}}}\n`;
const called = (name: string): string => `{id: "${POOL_ID}", name: ${name}}`;
const UNNAMED = `"${POOL_ID}"`;

/** Rules that watch one pool by names of their own, and one by none, in either order. */
const NAMED =
  rule("east", called("Pool of the East"), 500) + rule("west", called("Pool of the West"), 500);
const RULES = `rules:\n${NAMED}${rule("plain", UNNAMED, 500)}`;
const PLAIN_FIRST = `rules:\n${rule("plain", UNNAMED, 500)}${NAMED}`;

const CHAIN_NAME = "ETH/USDC 0.05%";

/** Quiet, then fires from the second minute on. */
async function fired(yaml: string): Promise<World> {
  const world = await World.create(yaml, { answer: () => ok(poolRecord()) });
  await world.minutes(1);
  world.answer = () => ok(poolRecord({ tvl_usd: 400 }));
  await world.minutes(1);
  return world;
}

/** What the alerts' notices of a kind call their subject, by rule. */
const namesIn = (world: World, kind: string): Record<string, string | null> =>
  Object.fromEntries(
    world.told
      .filter((one) => one.kind === kind)
      .map(({ notice }) => [notice.rule ?? "", notice.title]),
  );

const storedNames = async (world: World): Promise<Record<string, string | null>> =>
  Object.fromEntries(
    (await world.store.load()).alerts
      .filter(({ rule: of }) => of !== SOURCE_RULE)
      .map(({ rule: of, label }) => [of, label]),
  );

const OWN = { east: "Pool of the East", west: "Pool of the West", plain: CHAIN_NAME };

describe("rules that call one subject differently", () => {
  it.each([
    ["the named ones first", RULES],
    ["the one without a name first", PLAIN_FIRST],
  ])("each tell of it by their own name, else by the service's: %s", async (_order, yaml) => {
    const world = await fired(yaml);
    expect(namesIn(world, "fired")).toEqual(OWN);
    for (const { notice } of world.told.filter(({ kind }) => kind === "fired")) {
      expect(notice.headline).toContain(OWN[notice.rule as keyof typeof OWN]);
    }
    expect(await storedNames(world)).toEqual(OWN);
    await world.stop();
  });

  it("follow the rules when a name is given or taken away", async () => {
    const world = await fired(`rules:\n${rule("plain", called("Given"), 500)}`);
    expect(await storedNames(world)).toEqual({ plain: "Given" });
    const before = world.story();
    await world.restart(`rules:\n${rule("plain", UNNAMED, 500)}`);
    await world.minutes(1);
    expect(await storedNames(world)).toEqual({ plain: CHAIN_NAME });
    await world.restart(`rules:\n${rule("plain", called("Again"), 500)}`);
    await world.minutes(1);
    expect(await storedNames(world)).toEqual({ plain: "Again" });
    expect(world.story()).toEqual(before);
    await world.stop();
  });

  it("write nothing anew in rounds in which nothing happens", async () => {
    const world = await fired(RULES);
    const alerts = world.rounds.memory.rules.map(({ alerts: all }) => all[0]?.alert);
    await world.minutes(2);
    for (const [place, { alerts: all }] of world.rounds.memory.rules.entries()) {
      expect(all[0]?.alert).toBe(alerts[place]);
    }
    await world.stop();
  });
});
