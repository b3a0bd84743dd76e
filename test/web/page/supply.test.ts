import { describe, expect, it } from "vitest";
import { alert, NOW } from "../../page/support/story.ts";
import { storyApi, storyPage } from "../../page/support/story-api.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The page of a supply on some chains; each with its values by how long ago they were read, in milliseconds. */
async function supplyPage(
  chains: Readonly<Record<string, readonly (readonly [number, string])[]>>,
) {
  const alerts = Object.keys(chains).map((name, i) =>
    alert({
      rule: "outflow",
      name: `AUSD on ${name}`,
      kind: "token_supply",
      subject: `token_supply:${i + 1}:0xa0`,
      chain: { id: i + 1, name },
      compared: { fires: "falls 1% in 1 h", text: "1M AUSD", metric: "total_supply" },
    }),
  );
  const api = storyApi({
    alerts: async () => ({ alerts, total: alerts.length, next: null }),
    samples: async ({ subject, metric, from = "", to = "" }) => ({
      subject,
      metric,
      label: "supply",
      unit: "AUSD",
      decimals: 0,
      from,
      to,
      step_ms: MINUTE,
      samples: 2,
      points: (Object.values(chains)[Number(subject.split(":")[1]) - 1] ?? []).map(
        ([ago, value]) => {
          const at = new Date(NOW - ago).toISOString();
          return { at, to: at, min: value, max: value, last: value };
        },
      ),
      limits: [],
    }),
  });
  const page = await (await storyPage(api).request("/supply?span=24h")).text();
  const cells = [...page.matchAll(/<td class="num" data-of="([^"]*\d [^"]*)">([^<]*)</g)];
  return cells.map(([, of = "", text = ""]) => `${of}: ${text}`);
}

describe("the supply page", () => {
  it("compares with a day ago", async () => {
    const values = [
      [25 * HOUR, "1000"],
      [2 * HOUR, "1500"],
      [MINUTE, "1400"],
    ] as const;
    expect(await supplyPage({ Ethereum: values })).toEqual(["24 h: +400"]);
  });

  it("says since when it compares where a day is not known, and nothing of a chain that was not read then", async () => {
    const long = [
      [2 * HOUR + 7 * MINUTE, "1000"],
      [MINUTE, "900"],
    ] as const;
    expect(await supplyPage({ Ethereum: long, Polygon: [[MINUTE, "5"]] })).toEqual([
      "2 h 7 m: -100",
      "2 h 7 m: -",
    ]);
    expect(await supplyPage({ Ethereum: [[1_000, "5"]] })).toEqual(["24 h: -"]);
  });
});
