import { describe, expect, it } from "vitest";
import type { Alert } from "../../../src/web/api/schemas/alerts.ts";
import { alert, FIRING, overviewOf } from "../../page/support/story.ts";
import { MAY_ACT, storyApi, storyPage } from "../../page/support/story-api.ts";

async function overview(api = storyApi(), viewer = MAY_ACT): Promise<string> {
  const answer = await storyPage(api, viewer).request("/");
  expect(answer.status).toBe(200);
  return answer.text();
}

describe("the overview", () => {
  it("shows first what fires, the critical ones first, then what may, what is not known and what is held back", async () => {
    const page = await overview();
    expect(page).toContain("<title>(5) tickwatch</title>");
    const places = [
      "TVL -32% in 1 h:",
      "Balance of Treasury",
      "Out of range: Treasury ETH/USDC.",
      "Pending and recovering",
      "No data",
      "Held back",
      "Everything else",
    ].map((text) => page.indexOf(text));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places.every((place) => place > 0)).toBe(true);
  });

  it("draws data by the hour over a day, and data by the day over 24 of them, however short it has fired", async () => {
    const HOUR = 3_600_000;
    const since = new Date(Date.now() - 60_000).toISOString();
    const compared = {
      fires: "above 5 gwei",
      text: "4.4 gwei",
      metric: "tip_top10",
      limits: [{ exact: "5", text: "5 gwei" }],
    };
    const firingBy = (name: string, bucketMs: number | null): Alert => {
      const made = alert({
        rule: name,
        name,
        state: "firing",
        since,
        compared,
        values: [1, 2, 4.4],
      });
      const recent = { ...made.recent, metric: "tip_top10", bucket_ms: bucketMs, resolve: ["4"] };
      return { ...made, recent: { ...made.recent, ...recent } as Alert["recent"] };
    };
    const firing = [firingBy("hourly", HOUR), firingBy("daily", 24 * HOUR), firingBy("live", null)];
    const asked: (number | undefined)[] = [];
    const api = storyApi({
      overview: async () => overviewOf({ firing, waiting: [], no_data: [], held_back: [], ok: 0 }),
      samples: async ({ subject, metric, from = "", to = "" }) => {
        asked.push((Date.parse(to) - Date.parse(from)) / HOUR);
        return {
          subject,
          metric,
          label: "tip",
          unit: "gwei",
          decimals: null,
          from,
          to,
          step_ms: 60_000,
          samples: 1,
          points: [{ at: from, to, min: "2", max: "2", last: "2" }],
          limits: [],
        };
      },
    });
    const page = await overview(api);
    expect(asked).toEqual([24 * 24, 1]);
    const [, hourly = "", daily = ""] = page.split(/<figure class="pic/);
    expect(hourly).toContain("24 h ago");
    // Where it is over is a line of its own.
    expect(hourly).toContain('class="limit back"');
    expect(daily).toContain("24 d ago");
  });

  it("says who is on it and why, and until when a silence lasts", async () => {
    const page = await overview();
    expect(page).toMatch(/<bdi>anna<\/bdi> is on it since/);
    expect(page).toContain("top-up of 2.5M on its way, 22:00");
    expect(page).toContain("by anna: closing it on Monday");
    expect(page).toContain('name="id" value="3"');
  });

  it("has a form for every action, each with the token of the session", async () => {
    const page = await overview();
    const forms = page.match(/<form [^>]*method="post"[\s\S]*?<\/form>/g) ?? [];
    expect(forms.length).toBeGreaterThan(8);
    for (const form of forms) expect(form).toContain('name="csrf" value="csrf-of-this-session"');
  });

  it("shows the buttons, disabled and with the reason, to who may only read", async () => {
    const viewer = { ...MAY_ACT, mayAct: false, csrf: null, whyNot: "web.actions is not written" };
    const page = await overview(storyApi(), viewer);
    expect(page).not.toContain('method="post"');
    expect(page).toContain('<button type="button" disabled="" title="web.actions is not written">');
  });

  it("escapes and cuts what strangers call things", async () => {
    const name = `<img src=x onerror=alert(1)>\u202e${"A".repeat(10_000)}`;
    const hostile = alert({
      rule: "<script>alert(1)</script>",
      name,
      subject: "v4_pool:1:0xbad",
      state: "firing",
      sentence: `TVL -32%: ${name}`,
      compared: { fires: "</svg><script>", text: "<b>" },
      values: [1, 2, 3],
    });
    const page = await overview(
      storyApi({ overview: async () => overviewOf({ firing: [hostile] }) }),
    );
    expect(page).not.toContain("<script>alert");
    expect(page).not.toContain("<img");
    expect(page.match(/A{200}/g)?.length ?? 0).toBeLessThan(8);
    expect(page).toContain("<bdi>");
  });

  it("shows the first of each rule where one page cannot hold all, and leads to the others", async () => {
    const first = ["a", "a", "b"].map((rule, i) =>
      alert({ rule, name: `pool ${i}`, compared: { fires: "below 1", text: "2" } }),
    );
    const page = await overview(
      storyApi({
        overview: async () => overviewOf({ firing: [], ok: 5_001 }),
        alerts: async ({ per_rule: most }) => ({
          alerts: first,
          total: 5_001,
          next: null,
          ...(most === undefined
            ? {}
            : {
                rules: [
                  { rule: "a", total: 5_000 },
                  { rule: "b", total: 1 },
                ],
              }),
        }),
      }),
    );
    expect(page).toContain('<a href="/rule?name=a">4,998 more<span class="vh"> of a</span></a>');
    expect(page.match(/ more<span/g)).toHaveLength(1);
    expect(page).toContain("3 of 5,001, the nearest of each rule");
  });

  it("says of a rule that tells of entries which ones, and what it told last", async () => {
    const entries = { fires: "each wallet that enters the top 10", last: null };
    const last = {
      headline: "\u{1F535} Entered the top 10: 0x1acf",
      at: "2026-11-28T20:00:00.000Z",
    };
    const page = await overview(
      storyApi({
        alerts: async () => ({
          alerts: [
            alert({ rule: "holders", name: "AUSD", entries }),
            alert({ rule: "others", name: "USDC", entries: { ...entries, last } }),
          ],
          total: 2,
          next: null,
        }),
      }),
    );
    expect(page).toContain("nothing told yet");
    expect(page).toContain("each wallet that enters the top 10");
    expect(page).toMatch(/told <time [^>]*datetime="2026-11-28T20:00/);
    expect(page).toContain(">Entered the top 10: 0x1acf</bdi>");
  });

  it("says what to do where there are no rules", async () => {
    const page = await overview(
      storyApi({ overview: async () => overviewOf({ firing: [], rules: 0 }) }),
    );
    expect(page).toContain("No rules yet");
    expect(page).toContain("tickwatch check --online");
  });

  it("says that nothing fires, since when, and what is nearest to its limit", async () => {
    const page = await overview(
      storyApi({ overview: async () => overviewOf({ firing: [], ok: 37 }) }),
    );
    expect(page).toContain("<title>tickwatch</title>");
    expect(page).toContain("Nothing fires");
    expect(page).toContain("Quiet for");
    expect(page.indexOf("AUSD on Polygon")).toBeGreaterThan(
      page.indexOf("Nearest to their limits"),
    );
  });

  it("says what is not watched before anything else, and does not claim to know all", async () => {
    const faults = [
      {
        about: "database" as const,
        name: "tickwatch.db",
        what: "Not writable for 4 min: disk full.",
        do: "Free space under the data folder.",
        since: null,
      },
    ];
    const page = await overview(
      storyApi({ overview: async () => overviewOf({ firing: FIRING, faults }) }),
    );
    expect(page).toContain("Not everything is watched");
    expect(page.indexOf("disk full")).toBeLessThan(page.indexOf("<h1"));
    expect(page).toContain("5 firing, as far as is known");
  });

  it("has one bucket a rule where many fire", async () => {
    const groups = [
      {
        rule: "tvl-drop",
        severity: "critical" as const,
        firing: 41,
        unacknowledged: 29,
        sentence: "41 of 300 firing",
        since: "2026-11-28T19:47:00.000Z",
        ratios: [2, 1.5, 1.1],
        worst: [...FIRING],
      },
    ];
    const page = await overview(
      storyApi({ overview: async () => overviewOf({ firing: [], groups }) }),
    );
    expect(page).toContain("Firing by rule");
    expect(page).toContain("5 of 41, worst first");
    expect(page).toContain("Acknowledge all 29");
    expect(page).toContain("1 rule<");
    expect(page).toContain('href="/find?state=firing&amp;acked=no"');
    const some = await overview(
      storyApi({ overview: async () => overviewOf({ firing: [], groups, groupsTotal: 40 }) }),
    );
    expect(some).toContain("1 of 40 rules");
    expect(some).toContain("39 more rules fire");
  });

  it("tells apart that something is not watched and that somebody is not told", async () => {
    const fault = { about: "channel" as const, name: "ops", what: "", do: null, since: null };
    const page = await overview(
      storyApi({ overview: async () => overviewOf({ firing: FIRING, faults: [fault] }) }),
    );
    expect(page).toContain("Not everybody is told: 1 fault");
    expect(page).not.toContain("as far as is known");
  });

  it("does not say that a channel was told that does not deliver", async () => {
    const told = overviewOf({ firing: FIRING });
    const page = await overview(
      storyApi({
        overview: async () => ({ ...told, watch: { ...told.watch, failing: ["lp-slack"] } }),
      }),
    );
    expect(page).toMatch(/told <bdi>on-call<\/bdi>/);
    expect(page).toMatch(/<bdi>lp-slack<\/bdi> does not deliver/);
    expect(page).toContain("lp-slack does not deliver.");
  });

  it("has no style and no script of its own in the markup", async () => {
    const page = await overview();
    expect(page).not.toMatch(/ style=| on[a-z]+="|<style|<script(?![^>]* src=)/);
  });
});
