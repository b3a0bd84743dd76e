import { describe, expect, it } from "vitest";
import { listOf } from "../../src/base/json.ts";
import { API_ROUTES } from "../../src/web/api/routes.ts";
import { mapOf } from "../support/json-schema.ts";
import { RULE, SUBJECT, startWebDaemon } from "../support/web-daemon.ts";

const OPEN = "{listen: 127.0.0.1:0}";
const ALERT = `rule=${RULE}&subject=${encodeURIComponent(SUBJECT)}`;

type Json = Record<string, Record<string, { responses?: object }>>;

describe("the API over a running daemon", () => {
  it("shows an alert with its value in its limit, from ok over pending to firing", async (test) => {
    const daemon = await startWebDaemon(test, OPEN);
    const calm = await daemon.ask("/api/v1/overview");
    expect(calm.body).toMatchObject({
      watch: { sentence: "The one subject is watched", subjects: 1, watched: 1, faults: [] },
      counts: { alerts: 1, firing: 0, ok: 1 },
    });
    daemon.tvl = 450;
    await daemon.minutes(1);
    expect((await daemon.ask("/api/v1/alerts?state=waiting")).body).toMatchObject({
      total: 1,
      alerts: [{ rule: RULE, state: "pending", held: { ms: 0, of_ms: 60_000 } }],
    });
    await daemon.minutes(2);
    const { body } = await daemon.ask(`/api/v1/alert?${ALERT}`);
    expect(body).toMatchObject({
      alert: {
        state: "firing",
        severity: "critical",
        labels: { team: "lp" },
        sentence: expect.stringContaining("TVL $450, below $900"),
        can_ack: true,
        told: ["terminal"],
        compared: {
          metric: "tvl_usd",
          fires: "below $900",
          value: { exact: "450", text: "$450" },
          limits: [{ exact: "900" }],
          distance: { ratio: 2, past: true, text: "$450 past" },
        },
        recent: { metric: "tvl_usd" },
      },
      comparisons: [{ metric: "tvl_usd" }],
    });
    expect((await daemon.ask("/api/v1/overview")).body).toMatchObject({
      counts: { firing: 1, firing_by: { critical: 1 }, unacknowledged: 1, ok: 0 },
      firing: { total: 1, first: [{ rule: RULE }] },
    });
  });

  it("counts each subject of rules once: neither several together, nor what is only compared with", async (test) => {
    const [a, b, c] = [1, 2, 3].map((i) => `"0x${String(i).padStart(64, "0")}"`);
    const daemon = await startWebDaemon(
      test,
      OPEN,
      undefined,
      `references:
  other: {watch: {kind: v4_pool, chain: 1, pools: [${c}]}, metric: tvl_usd}
rules:
  - {name: each, watch: {kind: v4_pool, chain: 1, pools: [${a}, ${b}]}, when: {metric: tvl_usd, below: other}, schedule: 1m}
  - {name: all, watch: {kind: v4_pool, chain: 1, pools: [${a}, ${b}]}, across: sum, when: {metric: tvl_usd, below: 900 usd}, schedule: 1m}
`,
    );
    expect((await daemon.ask("/api/v1/overview")).body).toMatchObject({
      watch: { sentence: "All 2 subjects watched", subjects: 2, watched: 2 },
    });
    expect((await daemon.ask("/metrics")).text).toContain("\ntickwatch_subjects 2\n");
    // JSON has no such number: it is null.
    daemon.tvl = Number.NaN;
    await daemon.minutes(2);
    expect((await daemon.ask("/api/v1/overview")).body.watch).toMatchObject({ watched: 0 });
  });

  it("shows the first of each rule, a page of whole rules at a time, with how many each has", async (test) => {
    const pools = (count: number): string =>
      Array.from({ length: count }, (_, i) => `"0x${String(i + 1).padStart(64, "0")}"`).join(", ");
    const rules = [5, 1, 3, 2].map(
      (count, i) =>
        `  - {name: rule-${i}, watch: {kind: v4_pool, chain: 1, pools: [${pools(count)}]}, when: {metric: tvl_usd, below: 900 usd}, schedule: 1m}`,
    );
    const daemon = await startWebDaemon(test, OPEN, undefined, `rules:\n${rules.join("\n")}\n`);
    const path = "/api/v1/alerts?state=ok&sort=distance&per_rule=2&limit=4";
    const { body } = await daemon.ask(path);
    const named = (list: unknown): unknown[] =>
      (listOf(list) as { rule: string }[]).map(({ rule }) => rule);
    expect(named(body.alerts)).toEqual(["rule-0", "rule-0", "rule-1"]);
    expect(body).toMatchObject({
      total: 11,
      rules: [
        { rule: "rule-0", total: 5 },
        { rule: "rule-1", total: 1 },
      ],
      next: expect.any(String),
    });
    const rest = await daemon.ask(`${path}&cursor=${encodeURIComponent(String(body.next))}`);
    expect(named(rest.body.alerts)).toEqual(["rule-2", "rule-2", "rule-3", "rule-3"]);
    expect(rest.body).toMatchObject({ total: 11, rules: [{ total: 3 }, { total: 2 }], next: null });
    const page = await daemon.ask("/");
    expect(page.text).not.toContain("the nearest of each rule");
  });

  it("has the newest record field by field once somebody looks, and what was kept before", async (test) => {
    const daemon = await startWebDaemon(test, OPEN);
    const kept = (await daemon.ask(`/api/v1/alert?${ALERT}`)).body;
    expect(kept).toMatchObject({ record_whole: false, record: [{ metric: "tvl_usd" }] });
    await daemon.minutes(1);
    const { body } = await daemon.ask(`/api/v1/alert?${ALERT}`);
    expect(body).toMatchObject({ record_whole: true, record_block: expect.any(Number) });
    const fields = listOf(body.record) as { metric: string; value: { exact: string } | null }[];
    // What the rule looks at comes first.
    expect(fields[0]).toMatchObject({ metric: "tvl_usd", value: { exact: "1000" } });
    expect(fields.map(({ metric }) => metric)).toEqual(
      expect.arrayContaining(["liquidity", "current_tick", "swap_count", "price"]),
    );
    expect(fields.every(({ value }) => value !== null)).toBe(true);
  });

  it("does not call ok what knows too little of its window to fire", async (test) => {
    const daemon = await startWebDaemon(
      test,
      OPEN,
      undefined,
      `rules:
  - {name: low, watch: {kind: v4_pool, chain: 1, pools: ["0x${"1".padStart(64, "0")}"]}, when: {metric: tvl_usd, below: p10, within: 40m}, schedule: 1m}
`,
    );
    const page = async (): Promise<string> => (await daemon.ask("/")).text;
    expect((await daemon.ask("/api/v1/alerts")).body).toMatchObject({
      alerts: [{ rule: "low", state: "ok", window_known: false }],
    });
    expect(await page()).toContain("not known yet");
    await daemon.minutes(5);
    expect(await page()).toContain("not known yet");
    await daemon.minutes(16);
    expect((await daemon.ask("/api/v1/alerts")).body).toMatchObject({
      alerts: [{ rule: "low", state: "ok", window_known: true }],
    });
    expect(await page()).not.toContain("not known yet");
  });

  it("compares a change with what was measured before it", async (test) => {
    const when = "{metric: tvl_usd, falls: 10%, since: last}";
    const watch = `{kind: v4_pool, chain: 1, pools: ["${SUBJECT.replace(/.*:/, "")}"]}`;
    const rules = `rules: [{name: fall, watch: ${watch}, when: ${when}, schedule: 1m}]`;
    const daemon = await startWebDaemon(test, OPEN, undefined, rules);
    await daemon.minutes(2);
    daemon.tvl = 950;
    await daemon.minutes(1);
    const { body } = await daemon.ask("/api/v1/alerts?state=ok");
    expect(body.alerts).toMatchObject([
      {
        compared: { value: { exact: "950" }, base: { exact: "1000" }, change: { percent: "-5%" } },
      },
    ]);
  });

  it("says after a restart what was seen before it, until a round is due", async (test) => {
    const daemon = await startWebDaemon(test, OPEN);
    daemon.tvl = 450;
    await daemon.minutes(3);
    await daemon.restart();
    const { body } = await daemon.ask(`/api/v1/alerts?${ALERT}`);
    expect(body.alerts).toMatchObject([
      {
        state: "firing",
        sentence: expect.stringContaining("TVL $450, below $900"),
        compared: { value: { text: "$450" }, distance: { past: true, text: "$450 past" } },
        decided_at: "2026-11-28T12:03:00.000Z",
      },
    ]);
  });

  it("keeps the value that an alert stands on in sight while there is none, and says so", async (test) => {
    const daemon = await startWebDaemon(test, OPEN);
    daemon.tvl = 450;
    await daemon.minutes(3);
    // JSON has no such number: it is null.
    daemon.tvl = Number.NaN;
    await daemon.minutes(2);
    const { body } = await daemon.ask(`/api/v1/alerts?${ALERT}`);
    expect(body.alerts).toMatchObject([
      {
        state: "firing",
        no_data: { rounds: 2, told: false },
        sentence: expect.stringContaining("TVL $450, below $900"),
        compared: { value: { text: "$450" }, distance: { past: true, text: "$450 past" } },
      },
    ]);
    expect((await daemon.ask("/api/v1/overview")).body.watch).toMatchObject({ watched: 0 });
  });

  it("tells what happened: states, notices with their sends, samples", async (test) => {
    const daemon = await startWebDaemon(test, OPEN);
    daemon.tvl = 450;
    await daemon.minutes(3);
    daemon.tvl = 2_000;
    await daemon.minutes(2);
    await daemon.app.delivered();
    const states = await daemon.ask(`/api/v1/alert/states?${ALERT}`);
    expect(states.body.spans).toMatchObject([
      { state: "pending", to: "2026-11-28T12:02:00.000Z" },
      { state: "firing", from: "2026-11-28T12:02:00.000Z", to: "2026-11-28T12:04:00.000Z" },
      { state: "ok", to: null },
    ]);
    const { body } = await daemon.ask(`/api/v1/alert/timeline?${ALERT}`);
    expect(body.entries).toMatchObject([
      { what: "notice", notice: { kind: "resolved" } },
      { what: "state", state: "ok", value: "2000" },
      {
        what: "notice",
        notice: {
          kind: "fired",
          deliveries: [
            { channel: "terminal", state: "sent", attempts: [{ number: 1, outcome: "sent" }] },
          ],
        },
      },
      { what: "state", state: "firing", value: "450", text: "firing, was pending for 1 min" },
      { what: "state", state: "pending", value: "450" },
    ]);
    const samples = await daemon.ask(
      `/api/v1/samples?subject=${encodeURIComponent(SUBJECT)}&metric=tvl_usd&points=2000`,
    );
    expect(samples.body).toMatchObject({
      samples: 3,
      limits: [{ rule: RULE, values: ["900"], op: "below" }],
    });
    const points = samples.body.points;
    expect(points).toEqual(
      expect.arrayContaining([expect.objectContaining({ min: "450", max: "450" })]),
    );
    const notices = await daemon.ask(`/api/v1/notices?kind=fired&q=TVL&channel=terminal`);
    expect(notices.body).toMatchObject({ notices: [{ rule: RULE, kind: "fired" }], next: null });
  });

  it("lets the value of an hour stand until its end, and a newer one of the same hour take its place", async (test) => {
    const daemon = await startWebDaemon(
      test,
      OPEN,
      undefined,
      `rules:
  - {name: tip, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 5 gwei}, resolve_when: {below: 4 gwei}, schedule: 1m}
`,
    );
    daemon.tip = "9000000000";
    await daemon.minutes(20);
    const recent = async (): Promise<Record<string, unknown>> => {
      const { body } = await daemon.ask("/api/v1/alerts?rule=tip&include=recent");
      return mapOf(mapOf(listOf(body.alerts)[0]).recent);
    };
    const before = await recent();
    expect(before).toMatchObject({ bucket_ms: 3_600_000, resolve: ["4000000000"] });
    expect(listOf(before.points).slice(-3)).toEqual([
      ["1000000000", "1000000000"],
      ["9000000000", "9000000000"],
      ["9000000000", "9000000000"],
    ]);
    daemon.tip = "4500000000";
    await daemon.minutes(20);
    expect(listOf((await recent()).points).slice(-7)).toEqual([
      ...Array.from({ length: 4 }, () => ["1000000000", "1000000000"]),
      ...Array.from({ length: 3 }, () => ["4500000000", "4500000000"]),
    ]);
    const { body } = await daemon.ask("/api/v1/samples?subject=gas:1&metric=tip_top10&points=96");
    const last = mapOf(listOf(body.points).at(-1));
    expect(last).toMatchObject({
      last: "4500000000",
      to: new Date(daemon.clock.now()).toISOString(),
    });
  });

  it("gives lists a page at a time, and refuses the cursor of another list", async (test) => {
    const daemon = await startWebDaemon(test, OPEN);
    daemon.tvl = 450;
    await daemon.minutes(3);
    daemon.tvl = 2_000;
    await daemon.minutes(2);
    const seen: unknown[] = [];
    let cursor: unknown = "";
    do {
      const more = cursor === "" ? "" : `&cursor=${String(cursor)}`;
      const { body } = await daemon.ask(`/api/v1/notices?limit=1${more}`);
      seen.push(...listOf(body.notices));
      cursor = body.next;
    } while (cursor !== null && seen.length < 10);
    expect(seen.map((one) => (one instanceof Object && "kind" in one ? one.kind : ""))).toEqual([
      "resolved",
      "fired",
      "started",
    ]);
    const wrong = await daemon.ask("/api/v1/alerts?cursor=WzFd");
    expect(wrong).toMatchObject({ status: 400, body: { title: "Bad cursor", status: 400 } });
  });

  it("says what is wrong with a question, as RFC 9457 has it", async (test) => {
    const daemon = await startWebDaemon(test, OPEN);
    for (const [path, status, says] of [
      ["/api/v1/alerts?limit=0", 400, "limit"],
      ["/api/v1/alerts?limt=5", 400, "limt: is not known here"],
      ["/api/v1/alerts?limit=5&limit=6", 400, "given more than once"],
      ["/api/v1/samples?subject=a&metric=b&from=yesterday", 400, "from"],
      ["/api/v1/alert?rule=nobody&subject=x", 404, "there is no such rule"],
      ["/api/v1/rule?name=tvl-lo", 404, "no such rule"],
      ["/api/v1/nothing", 404, "/api/v1/openapi.json lists them"],
    ] as const) {
      const got = await daemon.ask(path);
      expect(got.headers["content-type"]).toContain("application/problem+json");
      expect([path, got.status, got.body.status]).toEqual([path, status, status]);
      expect(String(got.body.detail)).toContain(says);
    }
  });

  it("describes itself in OpenAPI, with every path and no reference to nothing", async (test) => {
    const daemon = await startWebDaemon(test, OPEN);
    const { text, body } = await daemon.ask("/api/v1/openapi.json");
    expect(body.openapi).toBe("3.1.0");
    const paths = Object.keys(body.paths ?? {});
    expect(paths.toSorted()).toEqual(
      [...API_ROUTES.map(({ path }) => path), "/events", "/session"].toSorted(),
    );
    const components = body.components instanceof Object ? body.components : {};
    const named = "schemas" in components ? Object.keys(components.schemas ?? {}) : [];
    const referred = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    expect(new Set(referred).size).toBeGreaterThan(20);
    for (const name of referred) expect(named).toContain(name);
    expect(text).not.toContain("$defs");
    const statuses = (path: string, method: string): string[] =>
      Object.keys((body.paths as Json)[path]?.[method]?.responses ?? {});
    // What has ended cannot be ended, and what is no JSON is not read.
    expect(statuses("/silence/end", "post")).toEqual(expect.arrayContaining(["409", "415"]));
    expect(statuses("/alerts", "get")).not.toContain("409");
  });

  it("answers by its own schemas", async (test) => {
    const daemon = await startWebDaemon(test, OPEN);
    daemon.tvl = 450;
    await daemon.minutes(3);
    for (const { method, path, output } of API_ROUTES) {
      if (method !== "get") continue;
      const query =
        path === "/rule"
          ? `?name=${RULE}`
          : path === "/samples"
            ? `?subject=${encodeURIComponent(SUBJECT)}&metric=tvl_usd`
            : path.startsWith("/alert") && path !== "/alerts"
              ? `?${ALERT}`
              : "";
      const { status, body } = await daemon.ask(`/api/v1${path}${query}`);
      expect([path, status]).toEqual([path, 200]);
      expect([path, output.safeParse(body).error?.message]).toEqual([path, undefined]);
    }
  });
});

describe("the stream of events", () => {
  it("tells what changed, at most once a second, and ends with the client", async (test) => {
    const daemon = await startWebDaemon(test, OPEN);
    const ending = new AbortController();
    const answer = await fetch(`${daemon.url}/api/v1/events`, { signal: ending.signal });
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    const reader: ReadableStreamDefaultReader<Uint8Array> = (
      answer.body ?? new ReadableStream<Uint8Array>()
    ).getReader();
    const decoder = new TextDecoder();
    let text = "";
    const event = async (): Promise<string> => {
      for (;;) {
        const end = /event: live\ndata: (.*)\n\n/.exec(text);
        if (end !== null) {
          text = text.slice((end.index ?? 0) + end[0].length);
          return end[1] ?? "";
        }
        const { value, done } = await reader.read();
        if (done) throw new Error("the stream has ended");
        text += decoder.decode(value, { stream: true });
      }
    };
    daemon.tvl = 450;
    await daemon.minutes(3);
    const seen = JSON.parse(await event()) as { fired: unknown[]; counts: { firing: number } };
    expect(seen).toMatchObject({ counts: { alerts: 1 }, changed: expect.any(Array) });
    const last = seen.counts.firing === 1 ? seen : JSON.parse(await event());
    expect(last).toMatchObject({ counts: { firing: 1 }, fired: [{ rule: RULE }] });
    ending.abort();
    await reader.closed.catch(() => {});
  });
});
