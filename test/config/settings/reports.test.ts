import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANNELS } from "../../../src/channels/index.ts";
import { ConfigError, formatProblem } from "../../../src/config/files/text-file.ts";
import { loadSetup } from "../../../src/config/settings/load.ts";
import { KINDS } from "../../../src/kinds/index.ts";

const RULE = "{watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 5 gwei}, name: ";
const RULES = `rules:\n  - ${RULE}lp-tip}\n  - ${RULE}lp-price}\n  - ${RULE}other}\n`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-reports-"));
  await writeFile(join(folder, "rules.yaml"), RULES);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The reports of a configuration, and what is doubted about it. */
async function load(reports: string) {
  const path = join(folder, "config.yaml");
  await writeFile(
    path,
    `service: {base_url: "https://data.example.org", api_key: "\${env:KEY}"}
rules: rules.yaml
timezone: Europe/Berlin
channels: {terminal: {kind: console}, duty: {kind: pagerduty, routing_key: "\${env:KEY}"}}
reports: ${reports}
`,
  );
  const env = { KEY: "sk_live_0123456789abcdef" };
  const { setup, warnings } = await loadSetup(path, { env, watches: KINDS, channels: CHANNELS });
  return { reports: setup.reports, warnings: warnings.map((one) => formatProblem(one)) };
}

async function refusals(reports: string): Promise<readonly string[]> {
  const error = await load(reports).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConfigError)) throw new Error("it was not refused");
  return error.problems.map(
    (one) =>
      formatProblem(one)
        .split("\n")[0]
        ?.replace(/^.*config/, "config") ?? "",
  );
}

describe("reports", () => {
  it("are read with their rules in the order of the files, and the time of the zone", async () => {
    const { reports } = await load(
      '{morning: {cron: "0 8 * * *", rules: [other, "lp-*"], channels: terminal}}',
    );
    expect(reports).toMatchObject([
      { name: "morning", rules: ["other", "lp-tip", "lp-price"], channels: ["terminal"] },
    ]);
    const winter = reports[0]?.schedule.next(Date.UTC(2026, 11, 1, 8)) ?? 0;
    expect(new Date(winter).toISOString()).toBe("2026-12-02T07:00:00.000Z");
  });

  it("tell of every rule where they name none, and there may be none of them", async () => {
    const { reports } = await load('{morning: {cron: "0 8 * * *", channels: [terminal]}}');
    expect(reports[0]?.rules).toBeNull();
    expect((await load("{}")).reports).toEqual([]);
  });

  it.each([
    ["[morning]", /^config\.yaml:5:10: reports is a list, expected names with reports/],
    ['{m: {cron: "0 8 * * *"}}', /:5:\d+: channels is missing, expected channels such as/],
    ["{m: {channels: terminal}}", /:5:\d+: cron is missing, expected a cron expression/],
    ["{m: {cron: 1h, channels: terminal}}", /:5:21: "1h" is a duration, and a report comes at set/],
    ['{m: {cron: "0 8 * *", channels: terminal}}', /:5:21: "0 8 \* \*" is neither a duration/],
    [
      '{m: {cron: "0 8 * * *", channels: termnal}}',
      /:5:44: unknown channel "termnal".*did you mean/,
    ],
    [
      '{m: {schedule: "0 8 * * *", channels: terminal}}',
      /unknown key `schedule` in a report; did you mean `?cron/,
    ],
    [
      '{m: {cron: "0 8 * * *", channels: terminal, rules: [[a]]}}',
      /rules.*expected names of rules/,
    ],
    ['{"": {cron: "0 8 * * *", channels: terminal}}', /the name of a report cannot be used/],
  ])("%s is refused with its place", async (text, words) => {
    expect(await refusals(text)).toContainEqual(expect.stringMatching(words));
  });

  it("are doubted where a name means no rule, a time is odd, or nobody reads them", async () => {
    const { warnings } = await load(
      '{m: {cron: "0 8 1 * 1", rules: [lp-tipp], channels: [terminal, duty]}}',
    );
    const first = warnings.map((one) => one.split("\n")[0]?.replace(/^.*config/, "config"));
    expect(first).toEqual([
      expect.stringMatching(/:5:21: the day of the month and the day of the week must both match/),
      expect.stringMatching(/:5:\d+: no rule is called "lp-tipp"; did you mean `lp-tip`/),
      expect.stringMatching(/:5:\d+: "duty" opens and closes alerts, and shows no report/),
    ]);
  });
});
