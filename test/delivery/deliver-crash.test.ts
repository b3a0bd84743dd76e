import fc from "fast-check";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import type { Channel, Outcome } from "../../src/channels/channel.ts";
import { startDelivery } from "../../src/delivery/deliver.ts";
import { type Message, NO_CHANGE } from "../../src/model/index.ts";
import type { Store } from "../../src/store/store.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { noticeOf } from "../support/notices.ts";
import { propertyRuns } from "../support/tier.ts";

const log = pino({ level: "silent" });
const never = (): Promise<never> => new Promise(() => {});

/**
 * The store as a process sees it that dies at its operation number `last`, before or after that
 * has taken effect: from then on nothing it does has an effect, and nothing comes back.
 */
function mortal(store: Store, last: number, before: boolean): { store: Store; dead(): boolean } {
  let operations = 0;
  const step = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    operations += 1;
    if (operations > last || (operations === last && before)) return never();
    const result = await act();
    return operations >= last ? never() : result;
  };
  return {
    dead: () => operations >= last,
    store: {
      ...store,
      claim: (...args) => step(() => store.claim(...args)),
      freeze: (...args) => step(() => store.freeze(...args)),
      settle: (...args) => step(() => store.settle(...args)),
      wake: (...args) => step(() => store.wake(...args)),
    },
  };
}

/** What a receiver makes of a send: it may also have taken a message and yet fail. */
type Fate = "sent" | "retry" | "parked" | "taken and lost";

const fates = fc.array(fc.constantFrom<Fate>("sent", "retry", "parked", "taken and lost"), {
  maxLength: 12,
});

const lives = fc.array(fc.record({ last: fc.integer({ min: 1, max: 14 }), before: fc.boolean() }), {
  maxLength: 6,
});

describe("whatever fails and whenever the process dies", () => {
  it("every notice arrives, in order, and a message is the same each time", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fates,
        lives,
        async (count, script, deaths) => {
          const store = createMemoryStore();
          const clock = createFakeClock(Date.UTC(2026, 10, 27));
          const ids = Array.from({ length: count }, (_, i) => `n${i}`);
          for (const id of ids) {
            const notices = [{ notice: noticeOf({ id }), channels: ["slack"] }];
            await store.commit({ ...NO_CHANGE, notices });
          }
          const tried: Message[] = [];
          const arrived: Message[] = [];
          let renderings = 0;
          const plan = [...script];
          const slack: Channel = {
            render(notice) {
              renderings += 1;
              // Another life may render otherwise: what was frozen counts.
              return `${notice.id} rendered ${renderings}`;
            },
            send(message): Promise<Outcome> {
              tried.push(message);
              const fate = plan.shift() ?? "sent";
              if (fate === "sent" || fate === "taken and lost") arrived.push(message);
              if (fate === "sent") return Promise.resolve({ status: "sent" });
              if (fate === "parked") return Promise.resolve({ status: "parked", reason: "x" });
              return Promise.resolve({ status: "retry", reason: "x" });
            },
            close: () => Promise.resolve(),
          };
          const channels = new Map([["slack", slack]]);
          for (const { last, before } of deaths) {
            const life = mortal(store, last, before);
            startDelivery({ store: life.store, channels, clock, log });
            for (let i = 0; i < 40 && !life.dead(); i += 1) await clock.advance(60_000);
          }
          const delivery = startDelivery({ store, channels, clock, log });
          for (let i = 0; i < 400 && (await store.owed()).size > 0; i += 1) {
            await clock.advance(60_000);
          }
          await delivery.stop();

          // At least once, and in order: leaving out repeats, the arrivals are the notices.
          const seen = [...new Set(arrived.map(({ notices }) => notices[0]))];
          expect(seen).toEqual(ids);
          // Nothing older comes after something newer.
          const order = arrived.map(({ notices }) => ids.indexOf(notices[0] ?? ""));
          expect(order).toEqual(order.toSorted((a, b) => a - b));
          // One id and one body for each notice, however often it was tried.
          expect(new Set(tried.map(({ id, body }) => `${id} ${body}`)).size).toBe(count);
          // A repeat has a cause: a failed send or a death.
          const causes = script.filter((fate) => fate !== "sent").length + deaths.length;
          expect(tried.length).toBeLessThanOrEqual(count + causes);
        },
      ),
      { numRuns: propertyRuns(60) },
    );
  });
});
