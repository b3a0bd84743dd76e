import { expect, it, onTestFinished } from "vitest";
import type { Answer, Setup } from "../../src/model/index.ts";
import { ReloadWorld } from "../support/reload-world.ts";
import { failed, MINUTE, ok, POOL_ID, poolRecord } from "../support/world.ts";
import { setupOf } from "../support/world-setup.ts";

/** Rule and daemon tell these channels, of which there are those in `configured`. */
function telling(channels: readonly string[], configured = channels): Setup {
  const setup = setupOf(`rules:
  - {name: low, watch: {kind: v4_pool, chain: 1, pools: [${POOL_ID}]}, when: {metric: tvl_usd, below: 900}}
`);
  return {
    ...setup,
    channels: configured.map((name) => ({ name, kind: "record", settings: name, timezone: "UTC" })),
    selfNotify: channels,
    rules: setup.rules.map((rule) => ({ ...rule, notify: channels })),
  };
}

interface Story {
  /** What the next rounds are answered. */
  readonly answer: (answer: Answer) => void;
  readonly pass: (minutes: number) => Promise<void>;
  readonly follow: (setup: Setup) => Promise<void>;
  /** What was delivered since the last question: `CHANNEL: FIRST LINE`. */
  readonly heard: () => readonly string[];
}

async function story(setup: Setup): Promise<Story> {
  let now: Answer = ok(poolRecord({ tvl_usd: 1_000 }));
  const world = await ReloadWorld.open({ setup, answer: () => now });
  onTestFinished(async () => {
    await world.app.stop();
  });
  await world.idle();
  return {
    answer: (answer) => void (now = answer),
    pass: async (minutes) => {
      for (let left = minutes; left > 0; left -= 1) {
        await world.clock.advance(MINUTE);
        await world.idle();
      }
    },
    follow: async (next) => {
      await world.app.follow(next);
      await world.idle();
    },
    heard: () => world.sent.splice(0).map(({ channel, body }) => `${channel}: ${body}`),
  };
}

it("tells the end of a firing where a channel that heard of it has another name now", async () => {
  const { answer, pass, follow, heard } = await story(telling(["slack", "hook"]));
  answer(ok(poolRecord({ tvl_usd: 800 })));
  await pass(1);
  await follow(telling(["lp-slack", "hook"]));
  heard();
  answer(ok(poolRecord({ tvl_usd: 1_000 })));
  await pass(1);
  expect(
    heard()
      .map((line) => line.replace(/:.*TVL back.*/u, ": over"))
      .toSorted(),
  ).toEqual(["hook: over", "lp-slack: over"]);
});

it("tells it nobody who did not hear of it where all channels are still there", async () => {
  const { answer, pass, follow, heard } = await story(telling(["slack"], ["slack", "hook"]));
  answer(ok(poolRecord({ tvl_usd: 800 })));
  await pass(1);
  await follow(telling(["hook"], ["slack", "hook"]));
  heard();
  answer(ok(poolRecord({ tvl_usd: 1_000 })));
  await pass(1);
  expect(heard().map((line) => line.replace(/:.*TVL back.*/u, ": over"))).toEqual(["slack: over"]);
});

it("tells the end of an outage likewise", async () => {
  const { answer, pass, follow, heard } = await story(telling(["slack"]));
  answer(failed);
  await pass(10);
  expect(heard().join("\n")).toContain("slack: ⚪ Source down");
  await follow(telling(["ops"]));
  heard();
  answer(ok(poolRecord({ tvl_usd: 1_000 })));
  await pass(1);
  expect(heard().join("\n")).toContain("ops: 🟢 Source back");
});
