import fc from "fast-check";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import type { Channel } from "../../src/channels/channel.ts";
import { startDelivery } from "../../src/delivery/deliver.ts";
import type { Notice, Silence } from "../../src/model/index.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { propertyRuns } from "../support/tier.ts";
import { absent, MINUTE, ok, POOL_ID, poolRecord, START, World } from "../support/world.ts";

const RULES = `
rules:
  - name: tvl
    watch: {kind: v4_pool, chain: 1, pools: ["${POOL_ID}"]}
    when: {metric: tvl_usd, below: 1000 usd}
    remind: [3m]
    worse_by: 100 usd
    notify: [slack]
`;

/** What whoever hears all of it believes. */
interface View {
  fires: boolean;
  flaps: boolean;
  blind: boolean;
}

function hear(view: View, { kind }: Notice): void {
  if (kind === "fired" || kind === "steady") [view.fires, view.flaps] = [true, false];
  if (kind === "flapping") view.flaps = true;
  if (kind === "resolved") [view.fires, view.flaps] = [false, false];
  if (kind === "no_data" || kind === "data_back") view.blind = kind === "no_data";
}

/** Dollars, or no answer, for so many minutes. */
const phases = fc.array(
  fc.tuple(fc.constantFrom(2_000, 2_000, 900, 700, 400, null), fc.integer({ min: 1, max: 9 })),
  { minLength: 3, maxLength: 14 },
);

const silences = fc.array(
  fc.tuple(fc.integer({ min: 0, max: 70 }), fc.integer({ min: 1, max: 25 })),
  { minLength: 1, maxLength: 4 },
);

describe("an alert of the real engine that is silent now and then", () => {
  it("is known for what it is whenever no silence is in force", async () => {
    await fc.assert(
      fc.asyncProperty(phases, silences, async (values, times) => {
        const given = times.map(
          ([from, length], id): Silence => ({
            id,
            rule: "tvl",
            subjects: null,
            labels: {},
            startsAt: START + from * MINUTE - 1,
            endsAt: START + (from + length) * MINUTE - 1,
            author: "anna",
            comment: null,
            createdAt: 0,
          }),
        );
        const inForce = (now: number): Silence[] =>
          given.filter(({ startsAt, endsAt }) => startsAt <= now && now < endsAt);
        const store = { ...createMemoryStore(), silences: async (now: number) => inForce(now) };
        const byMinute = values.flatMap(([value, length]) => Array.from({ length }, () => value));
        const world = await World.create(RULES, {
          store,
          answer: (_, date) => {
            const value = byMinute[Math.round((date - START) / MINUTE) - 1] ?? null;
            return value === null ? absent : ok(poolRecord({ tvl_usd: value }));
          },
        });
        const view: View = { fires: false, flaps: false, blind: false };
        const heard: string[] = [];
        const channel: Channel = {
          render: (notice) => JSON.stringify(notice),
          send: ({ body }) => {
            const notice = JSON.parse(body) as Notice;
            if (notice.kind === "fired") expect(view.fires && !view.flaps).toBe(false);
            if (notice.kind === "resolved") expect(view.fires || view.flaps).toBe(true);
            hear(view, notice);
            heard.push(notice.id);
            return Promise.resolve({ status: "sent" });
          },
          close: () => Promise.resolve(),
        };
        const log = pino({ level: "silent" });
        const { clock } = world;
        const delivery = startDelivery({
          store,
          clock,
          log,
          channels: new Map([["slack", channel]]),
        });
        for (const _ of byMinute) {
          await world.minutes(1);
          delivery.poke();
          await delivery.idle();
          if (inForce(clock.now()).length > 0) continue;
          const alert = world.rounds.memory.rules[0]?.alerts[0]?.alert;
          if (alert === null || alert === undefined) continue;
          if (!view.flaps) expect(view.fires).toBe(alert.lastNotified.state === "firing");
          const comesAndGoes = (alert.life?.gaps?.on ?? null) !== null;
          if (!comesAndGoes) expect(view.blind).toBe(alert.missing?.told === true);
        }
        await delivery.stop();
        await world.stop();
        expect(new Set(heard).size).toBe(heard.length);
      }),
      { numRuns: propertyRuns(25) },
    );
  });
});
