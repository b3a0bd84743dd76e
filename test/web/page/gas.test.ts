import { describe, expect, it } from "vitest";
import { alert } from "../../page/support/story.ts";
import { storyApi, storyPage } from "../../page/support/story-api.ts";

describe("the gas page", () => {
  it("names and shows what was kept of a metric that no round has read since the daemon started", async () => {
    const gas = (rule: string, metric: string, label: string, isRead: boolean) =>
      alert({
        rule,
        name: "Ethereum",
        kind: "gas",
        subject: "gas:1",
        ...(isRead ? { compared: { fires: "above 5 gwei", text: "4 gwei", metric, label } } : {}),
        last: {
          metric,
          label,
          value: { exact: "4000000000", text: "4 gwei" },
          at: "2026-11-28T21:00:00.000Z",
        },
      });
    const alerts = [
      gas("tip-spike", "tip_top10", "tip (top 10%)", true),
      gas("gas-is-cheap", "price_top10", "gas price (top 10%)", false),
    ];
    const asked: string[] = [];
    const api = storyApi({
      alerts: async () => ({ alerts, total: alerts.length, next: null }),
      samples: async ({ metric }) => {
        asked.push(metric);
        return null;
      },
    });
    const page = await (await storyPage(api).request("/gas")).text();
    expect(page).toContain("Ethereum: gas price (top 10%)");
    const [link = ""] = /\/gas\?subject=gas%3A1&(?:amp;)?metric=price_top10/.exec(page) ?? [];
    await storyPage(api).request(link.replace("&amp;", "&"));
    expect(asked).toEqual(["tip_top10", "price_top10"]);
  });
});
