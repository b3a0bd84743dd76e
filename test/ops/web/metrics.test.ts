import { afterEach, describe, expect, it } from "vitest";
import type { RoundRecord } from "../../../src/model/index.ts";
import type { DaemonView } from "../../../src/ops/daemon-view.ts";
import { createMetrics, type Metrics } from "../../../src/ops/web/metrics.ts";
import { noticeOf } from "../../support/notices.ts";
import { promlint } from "../../web/promlint.ts";

const made: Metrics[] = [];
afterEach(() => {
  for (const metrics of made.splice(0)) metrics.stop();
});

function create(): Metrics {
  const metrics = createMetrics();
  made.push(metrics);
  return metrics;
}

const VIEW: DaemonView = {
  channels: () => ["lp", "mail"],
  configuration: () => null,
  sharing: () => null,
  rules: () => 2,
  lateRules: () => 0,
  subjects: () => 7,
  alerts: () => ({ ok: 5, pending: 1, firing: 2, recovering: 0, withoutData: 3 }),
  lastRound: () => null,
  owed: () => Promise.resolve(new Map([["gone", 2]])),
  sourceLags: () => [],
};

function record(tookMs: number): RoundRecord {
  return {
    date: 0,
    rules: [],
    requests: 1,
    subjects: 1,
    failures: {},
    failed: 0,
    unread: [],
    tookMs,
  };
}

const lines = async (metrics: Metrics, view = VIEW): Promise<string[]> =>
  (await metrics.render(view)).split("\n").filter((line) => !line.startsWith("#") && line !== "");

describe("the metrics", () => {
  it("count what they are told", async () => {
    const metrics = create();
    metrics.round(record(40));
    metrics.round(record(2_000));
    metrics.request("v4_pool", null);
    metrics.request("v4_pool", "timeout");
    metrics.request("v4_pool", "timeout");
    metrics.notices([noticeOf(), noticeOf({ kind: "resolved" }), noticeOf()]);
    metrics.delivery("lp", "sent");
    metrics.dropped("lp", 2);
    metrics.delivery("lp", "retry");
    metrics.refused();
    metrics.parked("lp", true);
    metrics.parked("mail", true);
    metrics.parked("mail", false);
    expect(await lines(metrics)).toEqual(
      expect.arrayContaining([
        "tickwatch_rounds_total 2",
        'tickwatch_round_duration_seconds_bucket{le="0.05"} 1',
        'tickwatch_round_duration_seconds_bucket{le="2.5"} 2',
        "tickwatch_round_duration_seconds_sum 2.04",
        'tickwatch_requests_total{endpoint="v4_pool",outcome="ok"} 1',
        'tickwatch_requests_total{endpoint="v4_pool",outcome="failed"} 2',
        'tickwatch_request_failures_total{endpoint="v4_pool",reason="timeout"} 2',
        'tickwatch_notices_total{kind="fired"} 2',
        'tickwatch_notices_total{kind="resolved"} 1',
        'tickwatch_deliveries_total{channel="lp",outcome="sent"} 1',
        'tickwatch_deliveries_total{channel="lp",outcome="retry"} 1',
        'tickwatch_dropped_notices_total{channel="lp"} 2',
        'tickwatch_channel_parked{channel="lp"} 1',
        'tickwatch_channel_parked{channel="mail"} 0',
        "tickwatch_commit_failures_total 1",
      ]),
    );
  });

  it("show how the daemon is when they are read", async () => {
    const metrics = create();
    const before = await lines(metrics);
    expect(before).toEqual(
      expect.arrayContaining([
        'tickwatch_alerts{state="ok"} 5',
        'tickwatch_alerts{state="pending"} 1',
        'tickwatch_alerts{state="firing"} 2',
        'tickwatch_alerts{state="recovering"} 0',
        "tickwatch_alerts_without_data 3",
        "tickwatch_subjects 7",
        "tickwatch_rules 2",
        'tickwatch_owed_notices{channel="lp"} 0',
        'tickwatch_owed_notices{channel="gone"} 2',
      ]),
    );
    expect(before.join("\n")).not.toContain("tickwatch_last_round");
    const after = await lines(metrics, {
      ...VIEW,
      lateRules: () => 2,
      lastRound: () => 1_700_000_000_500,
      owed: () => Promise.reject(new Error("the disk is gone")),
    });
    expect(after).toContain("tickwatch_late_rules 2");
    expect(after).toContain("tickwatch_last_round_timestamp_seconds 1700000000.5");
    // Not known is not none.
    expect(after.filter((line) => line.startsWith("tickwatch_owed_notices"))).toEqual([]);
  });

  it("say how several daemons share the work, and nothing of it where there is one", async () => {
    const metrics = create();
    const ofCluster = async (view = VIEW): Promise<string[]> =>
      (await lines(metrics, view)).filter((line) => line.startsWith("tickwatch_cluster"));
    const sharing = { slots: 100, members: 2, unowned: 3 };
    expect(await ofCluster({ ...VIEW, sharing: () => sharing })).toEqual([
      "tickwatch_cluster_slots 100",
      "tickwatch_cluster_members 2",
      "tickwatch_cluster_unowned_slots 3",
    ]);
    expect(await ofCluster()).toEqual([]);
  });

  it("say how old the newest records of the service are, by endpoint and chain", async () => {
    const metrics = create();
    const view: DaemonView = {
      ...VIEW,
      sourceLags: () => [
        { endpoint: "v4_pool", chain: "Ethereum", seconds: 4.5 },
        { endpoint: "v4_pool", chain: "Polygon", seconds: 640 },
        { endpoint: "v4_swaps", chain: "all", seconds: 0 },
      ],
    };
    const text = await metrics.render(view);
    expect(text.split("\n").filter((line) => line.startsWith("tickwatch_source_lag"))).toEqual([
      'tickwatch_source_lag_seconds{endpoint="v4_pool",chain="Ethereum"} 4.5',
      'tickwatch_source_lag_seconds{endpoint="v4_pool",chain="Polygon"} 640',
      'tickwatch_source_lag_seconds{endpoint="v4_swaps",chain="all"} 0',
    ]);
    expect(promlint(text)).toEqual([]);
    // What was not answered lately has no age.
    expect((await lines(metrics)).join("\n")).not.toContain("tickwatch_source_lag_seconds");
  });

  it("have a CPU time that only grows, and a memory that is the process's", async () => {
    const metrics = create();
    const valueOf = async (name: string): Promise<number> =>
      Number((await lines(metrics)).find((line) => line.startsWith(`${name} `))?.split(" ")[1]);
    const first = await valueOf("process_cpu_seconds_total");
    expect(first).toBeGreaterThan(0);
    expect(await valueOf("process_cpu_seconds_total")).toBeGreaterThanOrEqual(first);
    const memory = process.memoryUsage().rss;
    expect((await valueOf("process_resident_memory_bytes")) / memory).toBeCloseTo(1, 0);
  });

  it("stand apart from those of another daemon in the process", async () => {
    const [one, other] = [create(), create()];
    one.refused();
    expect(await lines(other)).toContain("tickwatch_commit_failures_total 0");
  });

  it("keep to their lines whatever a channel is called", async () => {
    const metrics = create();
    metrics.delivery('a"b\\c\nd', "sent");
    expect(await lines(metrics)).toContain(
      'tickwatch_deliveries_total{channel="a\\"b\\\\c\\nd",outcome="sent"} 1',
    );
  });

  it("are as promtool wants them, before anything was counted and after everything was", async () => {
    const metrics = create();
    expect(promlint(await metrics.render(VIEW))).toEqual([]);
    metrics.round(record(40));
    metrics.request("v4_pool", "timeout");
    metrics.notices([noticeOf()]);
    metrics.delivery('a"b\\c\nd', "sent");
    metrics.dropped("lp", 2);
    metrics.refused();
    metrics.parked("lp", true);
    expect(promlint(await metrics.render({ ...VIEW, lastRound: () => 1 }))).toEqual([]);
  });
});

describe("the lint of metrics", () => {
  it.each([
    [
      "# HELP a_total A.\n# TYPE a_total gauge\na_total 1\n",
      "a_total ends in _total and is no counter",
    ],
    ["# HELP a A.\n# TYPE a counter\na 1\n", "a is a counter and does not end in _total"],
    ["# HELP a \n# TYPE a gauge\na 1\n", "a has no help text"],
    ["# HELP a_ms A.\n# TYPE a_ms gauge\na_ms 1\n", "a_ms is not in base units"],
    [
      "# HELP a_milliseconds A.\n# TYPE a_milliseconds gauge\n",
      "a_milliseconds is not in base units",
    ],
    [
      '# HELP a A.\n# TYPE a gauge\na{quantile="1"} 1\n',
      "a has a label quantile and is no summary",
    ],
    ["# HELP a_gauge A.\n# TYPE a_gauge gauge\n", "a_gauge names its type"],
    ['# HELP a A.\n# TYPE a gauge\na{fooBar="1"} 1\n', "a has the label fooBar in camelCase"],
    ["# HELP a A.\n# TYPE a gauge\n# HELP a A.\n# TYPE a gauge\n", "a comes twice"],
    ["# HELP a A.\n# TYPE a gauge\nb 1\n", "b has no HELP and TYPE before it"],
  ])("faults %j", (text, fault) => {
    expect(promlint(text)).toEqual([fault]);
  });
});
