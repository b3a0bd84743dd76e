import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { describeWhole } from "../postgres/support/server.ts";
import { buildWith, removeBuild, shortLease } from "./build.ts";
import { campaign, type Outcome } from "./campaign.ts";
import type { OnOutage } from "./daemons.ts";
import { eventKind } from "./events.ts";
import { MUTANTS } from "./mutants.ts";

/** `npm run violence` does more; `VIOLENCE_SEED=7` does the same again. */
const EVENTS = Number(process.env.VIOLENCE_EVENTS ?? "100");
const SEED = Number(process.env.VIOLENCE_SEED ?? "20261129");
/** `VIOLENCE_KINDS=rollout,kill`: nothing but this. */
const KINDS = process.env.VIOLENCE_KINDS?.split(",").map(eventKind);
/** `VIOLENCE_LOGS=/tmp/logs`: what the daemons log is kept there, and the first fault ends it. */
const LOGS = process.env.VIOLENCE_LOGS;
const LEASE_MS = 1_500;
const MUTANT_EVENTS = 40;
const SHOWN = 20;
/** Only what hangs takes so long. */
const EVENT_MS = 150_000;

/** By hand: `npm run violence`. */
const describeMutants = process.env.VIOLENCE_MUTANTS === "1" ? describeWhole : describeWhole.skip;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

describeWhole("daemons of a cluster under violence", () => {
  let main = "";
  beforeAll(() => {
    main = buildWith("short", [shortLease(LEASE_MS)]);
  });
  afterAll(() => removeBuild(main));

  it.each<OnOutage>(["continue", "suspend"])(
    "tell what one undisturbed daemon tells: %s",
    async (onOutage) => {
      const events = Math.ceil(EVENTS / 2);
      say(`violence: seed ${SEED}, ${events} events, ${onOutage}`);
      const how = { main, twinMain: main, leaseMs: LEASE_MS, onOutage, events, seed: SEED, say };
      const outcome = await campaign(
        { onTestFinished },
        {
          ...how,
          ...(KINDS === undefined ? {} : { kinds: KINDS }),
          ...(LOGS === undefined ? {} : { untilFault: true, keep: keepIn(LOGS) }),
        },
      );
      say(textOf(outcome));
      for (const fault of outcome.faults.slice(0, SHOWN)) say(fault);
      expect(outcome.faults).toEqual([]);
      expect(outcome.notices).toBeGreaterThan(events);
    },
    EVENTS * EVENT_MS,
  );
});

describeMutants("a cluster without a part of its protocol", () => {
  it.each(MUTANTS)(
    "is found out: it $name",
    async ({ name, patches, onOutage, kinds, fault }) => {
      const twinMain = buildWith("twin", [shortLease(LEASE_MS)]);
      const main = buildWith("mutant", [shortLease(LEASE_MS), ...patches]);
      onTestFinished(() => [main, twinMain].forEach(removeBuild));
      say(`mutant: it ${name}`);
      const plan = { main, twinMain, leaseMs: LEASE_MS, onOutage, kinds, seed: SEED, say };
      const { faults } = await campaign(
        { onTestFinished },
        { ...plan, events: MUTANT_EVENTS, untilFault: true },
      );
      say(`found: ${faults.join("\n")}`);
      expect(faults.join("\n")).toMatch(fault);
    },
    MUTANT_EVENTS * EVENT_MS,
  );
});

function keepIn(folder: string): (name: string, text: string) => void {
  mkdirSync(folder, { recursive: true });
  return (name, text) => writeFileSync(join(folder, name), text);
}

function textOf({ faults, takeovers, ...figures }: Outcome): string {
  const median = takeovers[Math.floor(takeovers.length / 2)] ?? Number.NaN;
  const leases = (ms: number): string => (ms / LEASE_MS).toFixed(2);
  return `${JSON.stringify(figures)}, takeovers in leases: median ${leases(median)}, worst ${leases(
    takeovers.at(-1) ?? Number.NaN,
  )} of ${takeovers.length}; ${faults.length} faults`;
}
