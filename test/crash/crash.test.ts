import { beforeAll, describe, expect, it } from "vitest";
import { WHOLE } from "../support/tier.ts";
import { buildDaemon } from "./build.ts";
import { type Campaign, judge, openCampaign } from "./campaign.ts";
import { atRandom, constructed, sampleOf } from "./plans.ts";

/** Another one tries other deaths: `CRASH_SEED=7 npx vitest run test/crash`. */
const SEED = Number(process.env.CRASH_SEED ?? "20261127");

const RANDOM_RUNS = 6;
/** Only what hangs takes so long. */
const LONG_MS = 1_200_000;

/** The short form of `npm run test:crash`, which kills everywhere; `npm test` has kills in test/e2e/kill.test.ts. */
describe.runIf(WHOLE)("a daemon that is killed wherever it is", () => {
  let campaign: Campaign;
  beforeAll(async () => {
    campaign = await openCampaign(await buildDaemon());
  });

  it("delivers everything when nobody kills it", () => {
    expect(campaign.short.kills).toBe(0);
    expect(campaign.short.stored.told.map(({ channel, kind }) => `${channel} ${kind}`)).toEqual(
      expect.arrayContaining(["hook worse", "hook changed", "mail fired", "slack resolved"]),
    );
  });

  it(
    "at any of its steps loses nothing and repeats at most the message in flight",
    async () => {
      const plans = sampleOf(constructed(campaign.short), 12, SEED);
      const { kills, faults } = await judge(campaign, plans);
      expect(faults).toEqual([]);
      expect(kills).toBeGreaterThan(plans.length / 2);
    },
    LONG_MS,
  );

  it(
    "several times and in its start as well",
    async () => {
      const { kills, faults } = await judge(campaign, atRandom(SEED, RANDOM_RUNS, campaign.short));
      expect(faults).toEqual([]);
      expect(kills).toBeGreaterThan(RANDOM_RUNS / 3);
    },
    LONG_MS,
  );
});
