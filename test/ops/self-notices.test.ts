import { pino } from "pino";
import { describe, expect, it } from "vitest";
import type { AddressedNotice, ClusterConfig } from "../../src/model/index.ts";
import { SelfNotices } from "../../src/ops/self-notices.ts";
import { StoreError } from "../../src/store/store.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { setupOf } from "../support/world-setup.ts";

/** Who tells `console` and `slack` of the daemon's own troubles, and what was told. */
function telling(cluster: ClusterConfig | null = null) {
  const told: AddressedNotice[] = [];
  const self = new SelfNotices({
    setup: () => ({ ...setupOf("rules: []"), cluster }),
    clock: createFakeClock(1_000),
    store: {
      ...createMemoryStore(),
      commit: async ({ notices }) => void told.push(...notices),
    },
    delivery: {
      poke: () => {},
      idle: async () => {},
      follow: async () => {},
      stop: async () => {},
    },
    log: pino({ level: "silent" }),
  });
  const lines = (): string[] =>
    told
      .splice(0)
      .flatMap(({ notice, channels }) =>
        channels.map(
          (channel) => `${channel} ${notice.headline.includes("can be") ? "back" : "gone"}`,
        ),
      );
  return { self, told: lines, facts: () => told.flatMap(({ notice }) => notice.fields) };
}

const GONE = new StoreError("unwritable", "the disk is full");

describe("a daemon that cannot write its database", () => {
  it("says so to every channel, and that it is over", () => {
    const { self, told } = telling();
    self.unwritable(GONE);
    expect(told()).toEqual(["console gone", "slack gone"]);
    self.written(false);
    expect(told()).toEqual(["console back", "slack back"]);
  });

  it("leaves channels to others who say the same, also that it is over", () => {
    const { self, told } = telling();
    self.unwritable(GONE, (channel) => channel === "slack");
    expect(told()).toEqual(["console gone"]);
    self.written(false);
    expect(told()).toEqual(["console back"]);
    self.unwritable(GONE, () => true);
    self.written(false);
    expect(told()).toEqual([]);
  });

  it("says it to the rest where the others cannot know, once", () => {
    const { self, told } = telling();
    self.unwritable(GONE, (channel) => channel === "slack");
    expect(told()).toEqual(["console gone"]);
    self.unwritableHere();
    self.unwritableHere();
    expect(told()).toEqual(["slack gone"]);
    self.written(false);
    expect(told()).toEqual(["console back", "slack back"]);
    self.unwritableHere();
    expect(told()).toEqual([]);
  });

  it.each([
    ["continue", "rules and notices continue from memory"],
    ["suspend", "nothing is sent, and soon nothing is decided"],
  ] as const)("says what a daemon of a cluster does meanwhile with `%s`", (onOutage, does) => {
    const { self, facts } = telling({ name: "host-a", onOutage, weight: 1 });
    self.unwritable(GONE);
    expect(facts()).toContainEqual({
      name: "What happens",
      value: expect.stringContaining(does),
    });
  });
});
