import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Ran, runTickwatch } from "./test-command.ts";

const RULES = `
rules:
  - {name: tip, watch: &gas {kind: gas, chain: 1}, when: &high {metric: tip_top10, above: 5 gwei}}
  - {name: crash, severity: critical, labels: {team: lp}, watch: *gas, when: *high}
  - {name: own, notify: mail, watch: *gas, when: *high}
  - {name: note, severity: info, watch: *gas, when: *high}
`;

const NOW = Date.now();
const hour = (offset: number): string =>
  new Date(NOW + offset * 3_600_000).toISOString().slice(11, 16);

describe("tickwatch routes", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "tickwatch-routes-"));
    await writeFile(join(folder, "rules.yaml"), RULES);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function run(keys: string, ...args: string[]): Promise<Ran> {
    const config = join(folder, "config.yaml");
    await writeFile(
      config,
      `service: {base_url: "http://127.0.0.1:1", api_key: "\${env:KEY}"}
rules: [rules.yaml]
channels: {slack: {kind: console}, mail: {kind: console}}
${keys}`,
    );
    return await runTickwatch(["routes", ...args, "--config", config], {
      env: { KEY: "tw_0123456789" },
    });
  }

  const KEYS = `mutes:
  open: [{from: "${hour(-2)}", to: "${hour(2)}"}]
  shut: [{from: "${hour(4)}", to: "${hour(6)}", days: [mon, tue], timezone: UTC}]
routes:
  - {match: {labels: {team: lp}, rule: cr*, kind: gas}, notify: slack, mute: open, mute_critical: true, continue: true}
  - {match: {severity: critical}, notify: mail, mute: shut}
  - {match: {severity: [warning, critical]}, notify: [slack, mail], mute: [open]}
`;

  it("shows of each rule its routes, its channels and what is muted now", async () => {
    const { code, out, err } = await run(KEYS);
    expect(code).toBe(0);
    const until = `${hour(2)} UTC`;
    expect(out.replaceAll(/\d{4}-\d\d-\d\d /g, "")).toBe(`tip (warning): by these routes
  route 3 of 3: severity warning or critical; mutes open (${hour(-2)}-${hour(2)} UTC), except critical
  → slack, muted in open: now, until ${until}
  → mail, muted in open: now, until ${until}
crash (critical): by these routes
  route 1 of 3: label team: lp, rule cr*, kind gas; mutes open (${hour(-2)}-${hour(2)} UTC), including critical; continues
  route 2 of 3: severity critical; mutes shut (${hour(4)}-${hour(6)} mon, tue UTC), except critical
  → slack, muted in open: now, until ${until}
  → mail
own (warning): its own notify
  → mail
note (info): no route matches, so it notifies nobody
`);
    expect(err).toContain("no route matches the rule: it notifies nobody");
  });

  it("shows one rule, for programs too", async () => {
    const one = await run(KEYS, "CRASH", "--json");
    const [crash, ...others] = JSON.parse(one.out) as unknown[];
    expect(others).toEqual([]);
    expect(crash).toEqual({
      rule: "crash",
      by: "routes",
      routes: [1, 2],
      channels: [
        { channel: "slack", mutes: ["open"], muted_until: expect.stringMatching(/^\d{4}-.*Z$/) },
        { channel: "mail", mutes: [], muted_until: null },
      ],
    });
    expect(await run(KEYS, "crsh")).toMatchObject({
      code: 2,
      err: expect.stringContaining("there is no rule crsh; did you mean crash?"),
    });
  });

  it("says so where there are no routes", async () => {
    const { out } = await run("", "tip");
    expect(out).toBe(`tip (warning): all channels, as no routes are configured
  → slack
  → mail
`);
  });
});
