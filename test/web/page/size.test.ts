import { describe, expect, it } from "vitest";
import { alert, FIRING, overviewOf } from "../../page/support/story.ts";
import { storyApi, storyPage } from "../../page/support/story-api.ts";

/** What an overview may weigh before it is compressed. */
const MOST = 150_000;

/** A raw amount that is never the same twice. */
const restless = Array.from({ length: 97 }, (_, i) =>
  Math.round(611_234_567_890_123 + Math.sin(i * 1.7) * 1e10),
);

const ok = Array.from({ length: 50 }, (_, i) =>
  alert({
    rule: `rule-of-many-${Math.floor(i / 8)}`,
    name: `ETH/USDC number ${i} on some chain`,
    subject: `v4_pool:1:0x${"ab".repeat(32)}${i}`,
    compared: {
      fires: "falls 10% in 1 h",
      text: "$15.6M",
      distance: { ratio: 0.5, past: false, text: "5% of 10%" },
    },
    values: restless,
  }),
);

const firing = Array.from({ length: 25 }, (_, i) => ({
  ...FIRING[i % FIRING.length]!,
  rule: `rule-${i}`,
  subject: `v4_pool:1:0x${"cd".repeat(32)}${i}`,
  recent: {
    ...ok[0]!.recent!,
    points: restless.map((value): [string, string] => [String(value), String(value + 3e9)]),
  },
}));

const alerts: Parameters<typeof storyApi>[0] = {
  alerts: async ({ limit }) => ({ alerts: ok.slice(0, limit), total: 99_000, next: "cursor" }),
};

describe("the overview of 100,000 alerts", () => {
  it.each([
    ["25 of them firing", overviewOf({ firing, ok: 99_975 })],
    [
      "25 rules of 4,000 firing each",
      overviewOf({
        firing: [],
        ok: 0,
        groups: firing.map((one) => ({
          rule: one.rule,
          severity: one.severity,
          firing: 4_000,
          unacknowledged: 4_000,
          sentence: "4,000 of 5,000 firing",
          since: one.since,
          ratios: Array.from({ length: 100 }, (_, i) => 1 + i / 50),
          worst: firing.slice(0, 5),
        })),
      }),
    ],
  ])("weighs 150 kB at most with %s", async (_, overview) => {
    const app = storyPage(storyApi({ ...alerts, overview: async () => overview }));
    const page = await (await app.request("/")).text();
    expect(page.length).toBeLessThanOrEqual(MOST);
    expect(page).toContain("<bdi>rule-24</bdi>");
  });
});
