import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Renewals } from "../../src/cluster/renewals.ts";

const LEASE_MS = 15_000;
/** A lease is not relied on to its end. */
const SURE_MS = 14_000;

describe("a member of a cluster", () => {
  let now = 0;
  beforeEach(() => {
    now = 1_000_000;
    vi.spyOn(performance, "now").mockImplementation(() => now);
  });
  afterEach(() => vi.restoreAllMocks());

  /** Of one that has just joined; `mayWork` says how it stands with the question whether it may work. */
  function joined({ suspends = false } = {}) {
    const renewals = new Renewals(LEASE_MS, suspends, now);
    const ask = () => {
      const state = { answer: "waits" };
      void renewals.mayWork().then(
        () => {
          state.answer = "may";
        },
        (error: unknown) => {
          state.answer = String((error as { reason?: string }).reason);
        },
      );
      return async (): Promise<string> => {
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        return state.answer;
      };
    };
    return { renewals, ask };
  }

  it("works while nobody can have buried it, and then once a request sent since says so", async () => {
    const { renewals, ask } = joined();
    const joinedAt = now;
    now += SURE_MS - 1;
    expect(await ask()()).toBe("may");
    now += 1;
    const asked = ask();
    expect(await asked()).toBe("waits");
    // The answer to a request from before is late: it says nothing of this moment.
    renewals.note("renewed", joinedAt + 5);
    expect(await asked()).toBe("waits");
    renewals.note("renewed", now);
    expect(await asked()).toBe("may");
  });

  it.each([
    ["goes on", false, "may"],
    ["waits where it is to suspend", true, "waits"],
  ])(
    "%s when the server cannot be reached, until it hears that it is buried",
    async (_, suspends, answer) => {
      const { renewals, ask } = joined({ suspends });
      let heard = 0;
      renewals.onBuried(() => {
        heard += 1;
      });
      now += 20_000;
      const asked = ask();
      renewals.note("unreachable", now);
      expect(await asked()).toBe(answer);
      // Soon after it was refused as well: it is not known to be renewed.
      now += 1;
      expect(await ask()()).toBe(answer);
      renewals.note("buried", now);
      renewals.note("buried", now);
      expect([renewals.isBuried, heard]).toEqual([true, 1]);
      expect(await ask()()).toBe("fenced");
      if (suspends) expect(await asked()).toBe("fenced");
      // It has joined anew.
      renewals.begin(now);
      expect(await ask()()).toBe("may");
    },
  );

  it("lets nobody wait for answers that do not come any more", async () => {
    const { renewals, ask } = joined({ suspends: true });
    now += 20_000;
    const asked = ask();
    expect(await asked()).toBe("waits");
    renewals.end();
    expect(await asked()).toBe("fenced");
  });

  it("buries others only once each of its own requests was answered for a whole lease", () => {
    const { renewals } = joined();
    const renew = (): void => renewals.note("renewed", now);
    now += LEASE_MS - 1;
    renew();
    expect(renewals.isSteady).toBe(false);
    now += 1;
    expect(renewals.isSteady).toBe(true);
    renewals.note("unreachable", now);
    expect(renewals.isSteady).toBe(false);
    now += 5_000;
    renew();
    now += LEASE_MS - 1;
    renew();
    // The others had as little of the server as itself until then.
    expect(renewals.isSteady).toBe(false);
    now += 1;
    expect(renewals.isSteady).toBe(true);
    renewals.begin(now);
    expect(renewals.isSteady).toBe(false);
  });

  it("counts as answered while a renewal is no older than a lease, and none has failed since", () => {
    const { renewals } = joined();
    now += LEASE_MS - 1;
    expect(renewals.isAnswered).toBe(true);
    now += 1;
    expect(renewals.isAnswered).toBe(false);
    renewals.note("renewed", now);
    expect(renewals.isAnswered).toBe(true);
    renewals.note("unreachable", now);
    expect(renewals.isAnswered).toBe(false);
  });
});
