import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createMetrics } from "../../src/ops/web/metrics.ts";
import { noticeOf } from "../support/notices.ts";

const TEXT = readFileSync(new URL("../../docs/metrics.md", import.meta.url), "utf8");

/** Of each row of the table of metrics: name, type and labels. */
function documented(): string[] {
  const lines = TEXT.slice(TEXT.indexOf("\n## The metrics\n")).split("\n");
  const first = lines.findIndex((line) => line.startsWith("|---"));
  const end = lines.findIndex((line, i) => i > first && !line.startsWith("|"));
  return lines.slice(first + 1, end).map((line) => {
    const [name = "", type = "", labels = ""] = line.split("|").slice(1);
    return [name, type, labels].map((cell) => cell.replaceAll("`", "").trim()).join(" ");
  });
}

/** The same of what is served, once everything was counted. */
async function served(): Promise<string[]> {
  const metrics = createMetrics();
  metrics.request("v4_pool", "timeout");
  metrics.notices([noticeOf()]);
  metrics.delivery("lp", "sent");
  metrics.dropped("lp", 2);
  const text = await metrics.render({
    channels: () => ["lp"],
    configuration: () => ({ loadedAt: 0, failure: null }),
    sharing: () => ({ slots: 86, members: 3, unowned: 0 }),
    rules: () => 1,
    lateRules: () => 0,
    subjects: () => 1,
    alerts: () => ({ ok: 1, pending: 0, firing: 0, recovering: 0, withoutData: 0 }),
    lastRound: () => 0,
    owed: () => Promise.resolve(new Map()),
    sourceLags: () => [{ endpoint: "v4_pool", chain: "Ethereum", seconds: 4 }],
  });
  metrics.stop();
  return [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => {
    const sample = new RegExp(`^${name}\\{(.*)\\} `, "m").exec(text)?.[1] ?? "";
    const labels = [...sample.matchAll(/(\w+)="/g)].map(([, label]) => label);
    return `${name} ${type} ${labels.join(", ")}`;
  });
}

describe("docs/metrics.md", () => {
  it("has every metric with its type and labels, and no other", async () => {
    const names = await served();
    expect(names.length).toBeGreaterThan(10);
    expect(documented().toSorted()).toEqual(names.toSorted());
  });
});
