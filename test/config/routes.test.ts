import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANNELS } from "../../src/channels/index.ts";
import { ConfigError, formatProblem } from "../../src/config/files/text-file.ts";
import { matchesName } from "../../src/config/routes/routing.ts";
import { loadSetup } from "../../src/config/settings/load.ts";
import { KINDS } from "../../src/kinds/index.ts";
import { propertyRuns } from "../support/tier.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-routes-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const RULES = `
rules:
  - {name: tip, watch: &gas {kind: gas, chain: 1}, when: &high {metric: tip_top10, above: 5 gwei}}
  - {name: lp-tip, severity: critical, labels: {team: lp}, watch: *gas, when: *high}
  - {name: lp-info, severity: info, labels: {team: lp}, watch: *gas, when: *high}
  - {name: own, notify: mail, watch: *gas, when: *high}
`;

async function load(keys: string, rules: string = RULES, head = "") {
  await writeFile(join(folder, "rules.yaml"), rules);
  const base = `service: {base_url: "https://data.example.org", api_key: "\${env:KEY}"}
rules: [rules.yaml]
channels: {slack: {kind: console}, mail: {kind: console}, pager: {kind: console}}
`;
  const path = join(folder, "config.yaml");
  await writeFile(path, head + base + keys);
  const found = await loadSetup(path, {
    env: { KEY: "k".repeat(20) },
    watches: KINDS,
    channels: CHANNELS,
  });
  const by = new Map(found.setup.rules.map((rule) => [rule.name, rule]));
  const get = (name: string) => {
    const rule = by.get(name);
    if (rule === undefined) throw new Error(`no rule ${name}`);
    return rule;
  };
  return { ...found, get, warnings: found.warnings.map(line) };
}

const line = (problem: Parameters<typeof formatProblem>[0]): string =>
  (formatProblem(problem).split("\n")[0] ?? "").replace(`${folder}/`, "");

/** The lines of what is wrong, without their places. */
async function refused(keys: string): Promise<string[]> {
  const error: unknown = await load(keys).catch((reason: unknown) => reason);
  if (!(error instanceof ConfigError)) throw new Error("no ConfigError", { cause: error });
  return error.problems.map((one) => line(one).replace(/^\S+ /, ""));
}

async function notified(routes: string): Promise<Record<string, readonly string[]>> {
  const { setup } = await load(`routes:\n${routes}`);
  return Object.fromEntries(setup.rules.map(({ name, notify }) => [name, notify]));
}

describe("routes", () => {
  it("are not needed: rules tell all channels", async () => {
    const { get, warnings, routing } = await load("");
    expect(get("tip").notify).toEqual(["slack", "mail", "pager"]);
    expect(get("own").notify).toEqual(["mail"]);
    expect(get("tip").mutes.size).toBe(0);
    expect(warnings).toEqual([]);
    expect(routing.ways.get("tip")).toEqual({ kind: "all" });
  });

  it("take the first that matches, and a rule's own notify wins over them", async () => {
    expect(
      await notified(`
  - {match: {severity: critical}, notify: pager}
  - {match: {labels: {team: lp}}, notify: [slack, mail]}
  - {notify: slack}
`),
    ).toEqual({ tip: ["slack"], "lp-tip": ["pager"], "lp-info": ["slack", "mail"], own: ["mail"] });
  });

  it("go on with continue, and name each channel once", async () => {
    const all = await notified(`
  - {match: {severity: [critical, info]}, notify: [pager, slack], continue: true}
  - {match: {rule: "lp-*"}, notify: [slack, mail]}
  - {match: {kind: gas}, notify: pager}
`);
    expect(all).toEqual({
      tip: ["pager"],
      "lp-tip": ["pager", "slack", "mail"],
      "lp-info": ["pager", "slack", "mail"],
      own: ["mail"],
    });
  });

  it("match only what fits all that they say", async () => {
    const routes = `
  - {match: {severity: info, labels: {team: lp}, rule: [lp-i*o, other], kind: [gas]}, notify: pager}
  - {notify: slack}
`;
    const all = await notified(routes);
    expect(all).toMatchObject({ tip: ["slack"], "lp-tip": ["slack"], "lp-info": ["pager"] });
  });

  it("change where a rule goes and not which rule it is", async () => {
    const [none, some, other] = [
      await load(""),
      await load("routes: [{notify: slack}]"),
      await load("mutes: {n: {from: 1:00, to: 2:00}}\nroutes: [{notify: mail, mute: n}]"),
    ];
    expect(some.get("tip").source).toBe(none.get("tip").source);
    expect(other.get("tip").source).toBe(none.get("tip").source);
    expect(other.get("tip").notify).toEqual(["mail"]);
  });

  it("warn of a rule that none of them matches, but of no gate and no rule that wants it so", async () => {
    const rules = `${RULES}  - {name: gated, notify: mail, only_while: lp-info, watch: *gas, when: *high}\n`;
    const { get, warnings } = await load(
      "routes: [{match: {severity: critical}, notify: pager}]",
      rules,
    );
    expect(get("tip").notify).toEqual([]);
    expect(get("lp-info").notify).toEqual([]);
    expect(warnings).toEqual([
      "rules.yaml:3:12: no route matches the rule: it notifies nobody, expected a route for it, or a rule whose gate names it [tells-nobody]",
    ]);
  });

  it("warn of what nothing reaches, and of what no rule has", async () => {
    const { warnings } = await load(`routes:
  - {match: {severity: [critical, info]}, notify: pager}
  - {match: {severity: info, labels: {team: lp}}, notify: mail}
  - {match: {rule: "lp-tpi"}, notify: mail}
  - {match: {labels: {team: lpp}}, notify: mail}
  - {match: {kind: v4_pool}, notify: mail}
  - {notify: slack}
  - {match: {rule: "*"}, notify: slack}
`);
    expect(warnings.map((text) => text.replace(/^config.yaml:/, ""))).toEqual([
      "6:5: no rule reaches this route: route 1 matches them all first, expected continue: true there, or this one before it [unused]",
      '7:20: no rule is called "lp-tpi"; did you mean `lp-tip`? [matches-no-rule]',
      '8:22: no rule has the label "team: lpp"; did you mean `lp`? [matches-no-rule]',
      '9:20: no rule is of kind "v4_pool" [matches-no-rule]',
      "11:5: no rule reaches this route: route 6 matches them all first, expected continue: true there, or this one before it [unused]",
    ]);
  });

  it.each([
    ["routes: x", "routes is text, expected a list of routes"],
    ["routes: []", "routes is empty"],
    ["routes: [x]", "a route is text, expected a map with keys such as match, notify, continue"],
    ["routes: [{}]", "notify is missing, expected slack, mail or pager"],
    [
      "routes: [{notify: []}]",
      "notify is empty: nobody would be notified, expected slack, mail or pager",
    ],
    [
      "routes: [{notify: slak}]",
      'unknown channel "slak", expected slack, mail or pager; did you mean `slack`?',
    ],
    ["routes: [{receiver: slack}]", "unknown key `receiver` in a route; did you mean `notify`?"],
    [
      "routes: [{severity: info, notify: slack}]",
      "unknown key `severity` in a route; did you mean `match`?",
    ],
    [
      "routes: [{notify: slack, match: {severity: high}}]",
      '"high" is not known, expected info, warning or critical; did you mean `critical`?',
    ],
    ["routes: [{notify: slack, match: {severity: []}}]", "severity is empty"],
    ["routes: [{notify: slack, match: {kind: pool}}]", 'unknown kind "pool", expected allowance,'],
    [
      "routes: [{notify: slack, match: {lables: {a: b}}}]",
      "unknown key `lables` in match; did you mean `labels`?",
    ],
    [
      "routes: [{notify: slack, continue: yes}]",
      '"yes" is text to YAML, expected true or false; did you mean `true`?',
    ],
    [
      "routes: [{notify: slack, mute: nights}]",
      'unknown mute "nights", expected a name under mutes:',
    ],
    [
      "mutes: {nights: {from: 1:00, to: 2:00}}\nroutes: [{notify: slack, mute: [night]}]",
      'unknown mute "night", expected nights; did you mean `nights`?',
    ],
  ])("are refused: %s", async (keys, problem) => {
    const [first = "", ...more] = await refused(keys);
    expect(first).toContain(problem);
    expect(more).toEqual([]);
  });
});

describe("mutes", () => {
  const mute = async (text: string) => {
    const { get } = await load(`mutes: {nights: ${text}}\nroutes: [{notify: slack, mute: nights}]`);
    return get("tip").mutes.get("slack");
  };
  const ALL = [0, 1, 2, 3, 4, 5, 6];

  it("are windows by day and zone, quoted or not", async () => {
    expect(
      await mute('[{from: "22:00", to: "07:00", days: [mon, tue], timezone: Europe/Berlin}]'),
    ).toEqual([[{ from: 1_320, to: 420, days: [1, 2], timezone: "Europe/Berlin" }]]);
    expect(
      await mute("[{from: 22:00, to: 7:30}, {from: 00:00, to: 24:00, days: [sun, sat]}]"),
    ).toEqual([
      [
        { from: 1_320, to: 450, days: ALL, timezone: "UTC" },
        { from: 0, to: 1_440, days: [0, 6], timezone: "UTC" },
      ],
    ]);
    expect(await mute("{from: 01:00, to: 02:00, days: sat}")).toEqual([
      [{ from: 60, to: 120, days: [6], timezone: "UTC" }],
    ]);
    const block = "\n  - from: 22:00\n    to: 07:00\n";
    const { get } = await load(
      `timezone: Asia/Tokyo\nroutes: [{notify: slack, mute: n}]\nmutes:\n  n:${block.replaceAll("\n", "\n  ")}`,
    );
    expect(get("tip").mutes.get("slack")?.[0]?.[0]).toMatchObject({
      from: 1_320,
      timezone: "Asia/Tokyo",
    });
  });

  it("are read so also under YAML 1.1, where 22:00 is a number", async () => {
    const text = "routes: [{notify: slack, mute: n}]\nmutes: {n: {from: 22:00, to: 07:00}}\n";
    const { get } = await load(text, RULES, "%YAML 1.1\n---\n");
    expect(get("tip").mutes.get("slack")?.[0]).toMatchObject([{ from: 1_320, to: 420 }]);
  });

  it("let critical rules pass, unless the route says otherwise", async () => {
    const text = "mutes: {n: {from: 1:00, to: 2:00}}\nroutes: [{notify: slack, mute: n";
    const plain = await load(`${text}}]`);
    expect(plain.get("lp-tip").mutes.size).toBe(0);
    expect(plain.get("lp-info").mutes.get("slack")).toHaveLength(1);
    const strict = await load(`${text}, mute_critical: true}]`);
    expect(strict.get("lp-tip").mutes.get("slack")).toHaveLength(1);
  });

  it("count for a channel only if each route that leads there is muted", async () => {
    const { get } = await load(`
mutes: {a: {from: 1:00, to: 2:00}, b: {from: 3:00, to: 4:00}}
routes:
  - {match: {labels: {team: lp}}, notify: [slack, mail], mute: [a, b], continue: true}
  - {match: {severity: info}, notify: [slack], continue: true}
  - {notify: [slack, mail], mute: b}
`);
    expect([...get("lp-info").mutes]).toEqual([
      [
        "mail",
        [
          [
            { from: 60, to: 120, days: ALL, timezone: "UTC" },
            { from: 180, to: 240, days: ALL, timezone: "UTC" },
          ],
          [{ from: 180, to: 240, days: ALL, timezone: "UTC" }],
        ],
      ],
    ]);
    expect([...get("tip").mutes.keys()]).toEqual(["slack", "mail"]);
    expect(get("own").mutes.size).toBe(0);
  });

  it("warn when nobody uses them, or when they never end", async () => {
    const { warnings } = await load(`
mutes:
  nights: {from: 1:00, to: 2:00}
  never: [{from: 08:00, to: 20:00}, {from: 20:00, to: 08:00}]
  sunday: [{from: 00:00, to: 24:00, days: [sun]}]
routes: [{notify: slack, mute: [never, sunday]}]
`);
    expect(warnings.map((text) => text.replace(/^config.yaml:/, ""))).toEqual([
      '6:3: no route uses the mute "nights" [unused]',
      "7:3: never is open at all times: a channel muted by it never sends anything [always-muted]",
    ]);
    expect((await load("mutes: {a: {from: 1:00, to: 2:00}}")).warnings).toHaveLength(1);
  });

  it.each([
    ["x", "nights is text"],
    ["[]", "nights is empty"],
    ["[x]", "is text, expected a window"],
    ["{from: 22:00}", "to is missing, expected its end"],
    ["{to: 22:00}", "from is missing"],
    ["{from: 22:00, to: 22:00}", "the window has no length"],
    ["{from: 00:00, to: 00:00}", 'the window has no length; did you mean `"24:00"`?'],
    [
      "{from: 24:00, to: 07:00}",
      '"24:00" is not a time of day, expected a time from "00:00" to "23:59"',
    ],
    ["{from: 10pm, to: 07:00}", 'did you mean `"22:00"`?'],
    ["{from: 12am, to: 07:00}", 'did you mean `"00:00"`?'],
    [
      "{from: 22, to: 07:00}",
      'from "22" is not a time of day, expected a time from "00:00" to "23:59"; did you mean `"22:00"`?',
    ],
    ["{from: 22.30, to: 07:00}", 'did you mean `"22:30"`?'],
    [
      "{from: 25:00, to: 07:00}",
      'from "25:00" is not a time of day, expected a time from "00:00" to "23:59"',
    ],
    ["{from: 22:00, to: 07:60}", '"07:60" is not a time'],
    [
      "{from: 22:00, to: 07:00, days: [monday]}",
      '"monday" is not known, expected sun, mon, tue, wed, thu, fri or sat; did you mean `mon`?',
    ],
    ["{from: 22:00, to: 07:00, days: weekend}", "did you mean `sat, sun`?"],
    ["{from: 22:00, to: 07:00, days: []}", "days is empty"],
    ["{from: 22:00, to: 07:00, timezone: Berlin}", 'unknown time zone "Berlin"'],
    ["{start: 22:00, to: 07:00}", "unknown key `start` in a window; did you mean `from`?"],
  ])("are refused: %s", async (text, problem) => {
    const problems = await refused(
      `mutes: {nights: ${text}}\nroutes: [{notify: slack, mute: nights}]`,
    );
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });
});

describe("a pattern of names", () => {
  it("stands for what the same regular expression stands for", () => {
    const part = fc.string({ unit: fc.constantFrom("a", "b", "*", "."), maxLength: 7 });
    const name = fc.string({ unit: fc.constantFrom("a", "b", "."), maxLength: 9 });
    fc.assert(
      fc.property(part, name, (pattern, text) => {
        const source = pattern.replaceAll(".", "\\.").replaceAll("*", ".*");
        expect(matchesName(pattern, text)).toBe(new RegExp(`^${source}$`).test(text));
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });
});
