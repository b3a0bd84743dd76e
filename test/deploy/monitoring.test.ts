import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { isMap, listOf, textsOf } from "../../src/base/json.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const deploy = join(root, "deploy");
const read = (path: string): string => readFileSync(join(deploy, path), "utf8");

/** The names of docs/metrics.md, with what a histogram adds to its own. */
const KNOWN = new Set(
  [
    ...readFileSync(join(root, "docs/metrics.md"), "utf8").matchAll(/^\| `(\w+)` \| (\w+)/gm),
  ].flatMap(([, name = "", type]) =>
    type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  ),
);
const NAMES = /\b(?:tickwatch|process|nodejs)_[a-z0-9_]+/g;

function promtool(...args: string[]): ReturnType<typeof spawnSync> {
  return spawnSync("promtool", args, { cwd: join(deploy, "prometheus"), encoding: "utf8" });
}

describe("the alert rules for the daemon itself", () => {
  it("name metrics that there are", () => {
    const { groups } = parse(read("prometheus/tickwatch.rules.yml")) as { groups: unknown };
    const rules = listOf(groups).flatMap((group) => (isMap(group) ? listOf(group.rules) : []));
    expect(rules.length).toBeGreaterThan(5);
    for (const rule of rules) {
      if (!isMap(rule)) throw new Error("a rule is a map");
      for (const [name] of String(rule.expr).matchAll(NAMES)) expect(KNOWN).toContain(name);
      expect(rule.labels).toMatchObject({
        severity: expect.stringMatching(/critical|warning|info/),
      });
      expect(rule.annotations).toMatchObject({
        summary: expect.any(String),
        description: expect.any(String),
      });
    }
  });

  it("hold before promtool, and fire when they should", (test) => {
    const tool = promtool("--version");
    if (tool.error !== undefined && process.env.CI_PEERS !== "1") {
      test.skip("promtool is missing: install Debian's prometheus");
    }
    for (const args of [
      ["check", "rules", "tickwatch.rules.yml"],
      ["test", "rules", "tickwatch.rules.test.yml"],
    ]) {
      const { status, stdout, stderr } = promtool(...args);
      expect([args, status, String(stderr)]).toEqual([args, 0, ""]);
      expect(String(stdout)).toContain("SUCCESS");
    }
  });
});

describe("the dashboard", () => {
  const dashboard: unknown = JSON.parse(read("grafana/dashboards/tickwatch.json"));
  if (!isMap(dashboard)) throw new Error("the dashboard is a map");
  const panels = listOf(dashboard.panels).filter(isMap);

  it("asks for metrics that there are", () => {
    const names = panels.flatMap(({ targets }) =>
      listOf(targets).flatMap((one) => (isMap(one) ? (String(one.expr).match(NAMES) ?? []) : [])),
    );
    expect(new Set(names).size).toBeGreaterThan(10);
    for (const name of names) expect(KNOWN).toContain(name);
  });

  it("has a place of its own for each panel", () => {
    const cells = panels.flatMap(({ gridPos }) => {
      const { x, y, w, h } = isMap(gridPos) ? gridPos : {};
      expect(Number(x) + Number(w)).toBeLessThanOrEqual(24);
      return Array.from(
        { length: Number(w) * Number(h) },
        (_, i) => `${Number(x) + (i % Number(w))},${Number(y) + Math.floor(i / Number(w))}`,
      );
    });
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });
});

describe.each(["compose.yaml", "compose.cluster.yaml"])("%s", (file) => {
  const compose: unknown = parse(read(file), { merge: true });
  if (!isMap(compose) || !isMap(compose.services)) throw new Error("it has services");
  const services = Object.entries(compose.services).filter(
    (entry): entry is [string, Record<string, unknown>] => isMap(entry[1]),
  );

  it("mounts files that are there, and volumes and secrets that it names", () => {
    const own = new Set(["../config.yaml", "../rules", "../.env"]);
    for (const [name, service] of services) {
      for (const volume of textsOf(service.volumes)) {
        const [source = ""] = volume.split(":");
        const isThere = source.startsWith(".")
          ? own.has(source) || existsSync(join(deploy, source))
          : isMap(compose.volumes) && source in compose.volumes;
        expect([name, volume, isThere]).toEqual([name, volume, true]);
      }
      for (const secret of textsOf(service.secrets)) expect(compose.secrets).toHaveProperty(secret);
    }
  });

  it("opens ports to this machine alone, and names versions of what it does not build", () => {
    for (const [, service] of services) {
      for (const port of textsOf(service.ports)) expect(port).toMatch(/^127\.0\.0\.1:/);
      if (service.build === undefined) expect(service.image).toMatch(/:v?\d+\.\d+(\.\d+)?$/);
    }
  });

  it("gives Prometheus the address and the token that the configuration in it names", () => {
    const { scrape_configs: scrapes } = parse(read("prometheus/prometheus.yml")) as Record<
      string,
      unknown
    >;
    expect(scrapes).toMatchObject([
      {
        job_name: "tickwatch",
        authorization: { credentials_file: "/run/secrets/tickwatch_token" },
        static_configs: [{ targets: ["tickwatch:9464"] }],
      },
    ]);
    expect(readdirSync(join(deploy, "prometheus"))).toContain("tickwatch.rules.yml");
  });
});
