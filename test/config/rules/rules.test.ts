import { describe, expect, it } from "vitest";
import { formatProblem } from "../../../src/config/files/text-file.ts";
import { KINDS } from "../../../src/kinds/index.ts";
import { cpuMsSince } from "../../support/cpu.ts";
import { one, POOL, problemsOf, read, ruleText, said, warned } from "../rules-text.ts";

const position = (keys: Readonly<Record<string, string>> = {}) =>
  ruleText({
    watch: "{kind: v4_position, chain: 1, protocol: dexa, positions: [42]}",
    when: "{metric: in_range, equals: false}",
    for: "5m",
    ...keys,
  });
const pool = (keys: Readonly<Record<string, string>> = {}) =>
  ruleText({
    watch: `{kind: v4_pool, chain: 1, pools: [${POOL}]}`,
    when: "{metric: tvl_usd, below: 1M usd}",
    ...keys,
  });

describe("a rule", () => {
  it("has the documented defaults", () => {
    const rule = one(ruleText());
    expect(rule).toMatchObject({
      name: "tips",
      kind: "gas",
      forMs: 0,
      resolveAfterMs: 0,
      resolveWhen: null,
      severity: "warning",
      labels: {},
      notify: ["console", "lp-slack"],
      title: null,
      note: null,
      sendResolved: true,
      missingAfterMs: 300_000,
      minAgeMs: 300_000,
      maxAgeMs: 7_200_000,
      metrics: ["tip_top10"],
      place: { file: "rules.yaml", line: 2, column: 5 },
    });
    expect(rule.schedule.everyMs).toBe(60_000);
  });

  it("takes every key that is built", () => {
    const rule = one(
      ruleText({
        name: "  tip\u200b   spike ",
        for: "1h",
        resolve_when: "{below: 4 gwei}",
        resolve_after: "1h30m",
        schedule: '"*/2 * * * *"',
        timezone: "Europe/Berlin",
        severity: "critical",
        labels: "{team: lp, floor: 3}",
        notify: "[lp-slack, lp-slack]",
        title: "Tips",
        note: "High.",
        enabled: "true",
        missing_after: "10m",
        send_resolved: "false",
        min_age: "1m",
        max_age: "3h",
      }),
    );
    expect(rule).toMatchObject({
      name: "tip spike",
      forMs: 3_600_000,
      resolveAfterMs: 5_400_000,
      severity: "critical",
      labels: { team: "lp", floor: "3" },
      notify: ["lp-slack"],
      title: "Tips",
      note: "High.",
      missingAfterMs: 600_000,
      sendResolved: false,
      minAgeMs: 60_000,
      maxAgeMs: 10_800_000,
    });
    expect(rule.resolveWhen).toMatchObject({ op: "below", metric: "tip_top10" });
    expect(rule.schedule.everyMs).toBeNull();
  });

  it("takes defaults from the configuration", () => {
    const context = {
      watches: KINDS,
      channels: [],
      defaults: { schedule: "5m", severity: "info" as const, timezone: "Asia/Tokyo" },
    };
    const rule = one(ruleText(), context);
    expect(rule.schedule.everyMs).toBe(300_000);
    expect(rule.severity).toBe("info");
    expect(rule.notify).toEqual([]);
  });

  it("needs name, watch and when", () => {
    expect(said("rules: [{}]\n").map((line) => line.split(",")[0])).toEqual([
      "rules.yaml:1:9: name is missing",
      "rules.yaml:1:9: watch is missing",
      "rules.yaml:1:9: when is missing",
    ]);
    expect(said(ruleText({ watch: null }))).toEqual([
      "rules.yaml:2:5: watch is missing, expected what to look at, such as {kind: gas, chain: ethereum} [missing-key]",
    ]);
    expect(said(ruleText({ when: null }))).toEqual([
      "rules.yaml:2:5: when is missing, expected a condition such as {metric: tip_top10, above: 5 gwei} [missing-key]",
    ]);
  });

  it("says what an unknown key may have been", () => {
    expect(said(ruleText({ lables: "{a: b}" }))).toEqual([
      "rules.yaml:5:5: unknown key `lables` in a rule; did you mean `labels`? [unknown-key]",
    ]);
  });

  it("reports every problem of every rule, each at its place", () => {
    const text = `rules:
  - name: a
    watch: {kind: gas, chain: etherium}
    when: {metric: tip_top20, above: 5 gwei}
    severity: hi
  - name: b
    watch: {kind: v4_pol}
    when: {metric: x, above: 5}
    for: 7
`;
    expect(problemsOf(text).map(({ line, column }) => `${line}:${column}`)).toEqual([
      "3:31",
      "4:20",
      "5:15",
      "7:19",
      "9:10",
    ]);
  });

  it("has a name that no other rule has", () => {
    const text = `${ruleText()}${ruleText().replace("rules:\n", "")}`;
    expect(said(text)).toEqual([
      'rules.yaml:5:11: a rule "tips" is already used, in rules.yaml:2, expected another name [duplicate-name]',
    ]);
  });

  it("has a name of 1 to 128 visible characters", () => {
    expect(one(ruleText({ name: "x".repeat(128) })).name).toHaveLength(128);
    expect(said(ruleText({ name: "x".repeat(129) }))[0]).toContain(
      "name is too long, expected a name of 1 to 128",
    );
    expect(said(ruleText({ name: '"\\u200b"' }))[0]).toContain("name has no visible character");
    expect(said(ruleText({ name: '""' }))[0]).toContain("name is empty");
    expect(said(ruleText({ name: "[a]" }))[0]).toContain("name is a list");
  });

  it("is checked and left out when it is not enabled", () => {
    expect(read(ruleText({ enabled: "false" })).rules).toEqual([]);
    expect(warned(ruleText({ enabled: "false" }))).toEqual([
      'rules.yaml:5:14: the rule "tips" is not enabled [not-enabled]',
    ]);
    expect(said(ruleText({ enabled: "false", severity: "hi" }))).toHaveLength(1);
  });

  it("warns when it tells nobody, and refuses channels that are not there", () => {
    expect(one(ruleText({ notify: "[]" })).notify).toEqual([]);
    expect(warned(ruleText({ notify: "[]" }))).toEqual([
      "rules.yaml:5:13: the rule notifies nobody, expected a channel, or a rule whose gate names it [tells-nobody]",
    ]);
    expect(one(ruleText({ notify: "lp-slack" })).notify).toEqual(["lp-slack"]);
    expect(said(ruleText({ notify: "[lp-slak]" }))).toEqual([
      'rules.yaml:5:14: unknown channel "lp-slak", expected console or lp-slack; did you mean `lp-slack`? [unknown-channel]',
    ]);
  });

  it("has labels that are text", () => {
    expect(said(ruleText({ labels: "{a: true, b: [1]}" }))).toEqual([
      'rules.yaml:5:17: a is true, expected text; did you mean `"true"`? [wrong-type]',
      "rules.yaml:5:26: b is a list, expected text [wrong-type]",
    ]);
    expect(said(ruleText({ labels: "team" }))[0]).toContain(
      "labels is text, expected a map of texts",
    );
  });

  it("has templates whose faults are told with their place in the text", () => {
    for (const key of ["title", "note"]) {
      expect(said(ruleText({ [key]: '"at {{ value | uper }}"' }))[0]).toContain(
        "the template has a mistake at character 4: unknown filter: uper",
      );
    }
  });

  it("has ages only where records have buckets", () => {
    expect(said(pool({ min_age: "5m" }))).toEqual([
      "rules.yaml:5:14: min_age is for kinds with buckets, such as gas; v4_pool has none [misplaced-key]",
    ]);
  });

  it("has a time zone for cron only", () => {
    expect(warned(ruleText({ timezone: "Europe/Berlin" }))[0]).toContain("cron expressions only");
    expect(said(ruleText({ timezone: "Mars/Phobos" }))[0]).toContain(
      'unknown time zone "Mars/Phobos"',
    );
  });

  it("has a schedule that divides a day or is a cron expression", () => {
    expect(said(ruleText({ schedule: "7m" }))[0]).toContain('schedule "7m" does not divide');
    expect(said(ruleText({ schedule: '"61 * * * *"' }))).toHaveLength(1);
  });

  it("has no step that is never made or uneven, and is doubted where it may be meant", () => {
    expect(said(ruleText({ schedule: '"*/90 * * * *"' }))).toEqual([
      'rules.yaml:5:15: schedule "*/90 * * * *" does not do what it says: */90 runs only at minute 0, not every 90 minutes, expected a step below 60; did you mean `90m`? [bad-schedule]',
    ]);
    expect(said(ruleText({ schedule: '"*/45 * * * *"' }))).toEqual([
      'rules.yaml:5:15: schedule "*/45 * * * *" does not do what it says: */45 is uneven: 45 minutes apart, and 15 over the end of each hour, expected a step that divides 60; did you mean `45m`? [bad-schedule]',
    ]);
    expect(said(ruleText({ schedule: '"0 */7 * * *"' }))[0]).toContain("*/7 is uneven: 7 hours");
    // Written out it is what somebody wants, and so are days of months.
    for (const meant of ["1-59/7 * * * *", "0 0 */2 * *"]) {
      expect(warned(ruleText({ schedule: `"${meant}"` }))[0]).toContain("is uneven: ");
    }
    expect(said(ruleText({ schedule: '"0,45 * * * *"' }))).toEqual([]);
    expect(warned(ruleText({ schedule: '"0 9 13 * 5"' }))[0]).toContain("must both match");
    expect(warned(ruleText({ schedule: '"*/20 * * * *"' }))).toEqual([]);
  });

  it("warns of a range rule that would dance on the edge", () => {
    expect(warned(position({ for: "0s" }))[0]).toContain("fire and resolve again and again");
    expect(warned(position())).toEqual([]);
    expect(warned(position({ for: "0s", resolve_after: "5m" }))).toEqual([]);
  });
});

describe("the targets of a rule", () => {
  const keysOf = (text: string) => one(text).subjects.map(({ key }) => key);

  it("are chains by name or number, one or a list", () => {
    expect(keysOf(ruleText({ watch: "{kind: gas, chain: [Ethereum, 137, 4663]}" }))).toEqual([
      "gas:1",
      "gas:137",
      "gas:4663",
    ]);
  });

  it.each(["0", "-1", "1.5", "0x1", "[]", "[[1]]", "{}", "1e3"])(
    "refuses the chain %s",
    (chain) => {
      expect(said(ruleText({ watch: `{kind: gas, chain: ${chain}}` }))).not.toEqual([]);
    },
  );

  it("keep every digit without quotes, in flow and block form", () => {
    const nft = "104729331890217765403218876540912387654098123765401928376501928374650192837465";
    const text = position({
      watch: `
      kind: v4_position
      chain: 1
      protocol: dexb
      positions:
        - ${nft}
        - id: ${(2n ** 256n - 1n).toString()}
        - {id: 9007199254740993}
        - "0042"`,
    });
    expect(one(text).subjects.map(({ ids }) => ids.nft)).toEqual([
      nft,
      (2n ** 256n - 1n).toString(),
      "9007199254740993",
      "42",
    ]);
    const upper = `0x${POOL.slice(2).toUpperCase()}`;
    expect(
      one(pool({ watch: `{kind: v4_pool, chain: 1, pools: [${upper}]}` })).subjects[0]?.ids.pool,
    ).toBe(POOL);
  });

  it("have names and take chain and protocol from the watch unless they have their own", () => {
    const text = position({
      watch:
        '{kind: v4_position, chain: 1, protocol: dexa, positions: [{id: 1, name: "Trea\u202esury"}, {id: 1, chain: base}, {id: 1, protocol: DEXB}]}',
    });
    expect(
      one(text).subjects.map(({ chainId, ids, name }) => [chainId, ids.protocol, name]),
    ).toEqual([
      [1, "dexa", "Treasury"],
      [8453, "dexa", null],
      [1, "dexb", null],
    ]);
  });

  it("are watched once when they are named twice", () => {
    const watch = `{kind: v4_pool, chain: 1, pools: [${POOL}, "${POOL.toUpperCase().replace("0X", "0x")}"]}`;
    expect(one(pool({ watch })).subjects).toHaveLength(1);
    expect(warned(pool({ watch }))[0]).toContain("names this target twice");
  });

  it.each([
    ["pools: [0x21c6]", "item 1 of pools has 4 hex digits, and a pool id has 64"],
    [`pools: [${POOL.slice(0, 42)}]`, "it looks like an address"],
    ["pools: [1_000]", '"1_000" is not an id'],
    ["pools: []", "pools is empty: the rule would watch nothing"],
    ["pools: 5", "pools is text, expected a list of ids"],
    ["pools: {list: mine}", 'unknown list "mine", expected a name under lists: in a rules file'],
    ["pools: [{list: mine}]", 'unknown list "mine"'],
    ["pools: [{name: x}]", "the target has no id"],
    [`pools: [{id: ${POOL}, protocol: dexa}]`, "unknown key `protocol` in a target"],
    [`pools: [{id: ${POOL}, nme: x}]`, "did you mean `name`?"],
    ["positions: [1]", "unknown key `positions` in a v4_pool watch"],
  ])("of a pool watch with %s are refused", (targets, message) => {
    const problems = said(pool({ watch: `{kind: v4_pool, chain: 1, ${targets}}` }));
    expect(problems.join("\n")).toContain(message);
  });

  it.each([
    ["chain: 1, positions: [1]", "the position has no protocol"],
    ["protocol: dexa, positions: [1]", "the target has no chain"],
    ["chain: 1, protocol: dexc, positions: [1]", 'unknown protocol "dexc", expected dexa or dexb'],
    ["chain: 1, protocol: dexa, positions: [1e5]", '"1e5" is not an id'],
    ["chain: 1, protocol: dexa, positions: [0xA0b8]", '"0xA0b8" is not an id'],
    [`chain: 1, protocol: dexa, positions: [${"9".repeat(79)}]`, "has 79 digits"],
    [`chain: 1, protocol: dexa, positions: [${(2n ** 256n).toString()}]`, "is above 2^256 - 1"],
    [
      'chain: 1, protocol: dexa, positions: [{id: 1, name: "\\u200b"}]',
      "name has no visible character",
    ],
    ["chain: 1, protocol: dexa, token: 5, positions: [1]", "unknown key `token` in a v4_position"],
  ])("of a position watch with %s are refused", (targets, message) => {
    const problems = said(position({ watch: `{kind: v4_position, ${targets}}` }));
    expect(problems.join("\n")).toContain(message);
  });

  it("are of a kind that there is", () => {
    expect(said(ruleText({ watch: "{kind: gass, chain: 1}" }))).toEqual([
      expect.stringMatching(
        /^rules.yaml:3:19: unknown kind "gass", .*; did you mean `gas`\? \[unknown-kind\]$/,
      ),
    ]);
    expect(said(ruleText({ watch: "{chain: 1}" }))[0]).toContain("the watch has no kind");
    expect(said(ruleText({ watch: "gas" }))[0]).toContain("watch is text");
  });
});

describe("the canonical text of a rule", () => {
  const source = (text: string) => one(text).source;

  it("does not change with the way that a rule is written", () => {
    const plain = source(ruleText({ for: "60m", labels: "{a: x, b: y}" }));
    expect(
      source(
        "# a comment\nrules:\n- when: { above: 5_000_000_000, metric: tip_top10 }\n  labels: {b: y, a: x}\n  name: 'tips'\n  watch:\n    chain: 1\n    kind: gas\n  for: 1h\n  severity: warning\n",
      ),
    ).toBe(plain);
  });

  it("changes with what a rule means", () => {
    const variants = [
      {},
      { name: "other" },
      { watch: "{kind: gas, chain: 137}" },
      { when: "{metric: tip_top10, above: 5.000000001 gwei}" },
      { when: "{metric: tip_top10, at_least: 5 gwei}" },
      { when: "{not: {metric: tip_top10, above: 5 gwei}}" },
      { when: "{metric: tip_top10, rises: 5 gwei, within: 6h}" },
      { when: "{metric: tip_top10, rises: 5%, within: 6h}" },
      { when: "{metric: tip_top10, rises: 5%, since: 6h}" },
      { when: "{metric: tip_top10, rises: 5%, since: last}" },
      { resolve_when: "{below: 4 gwei}" },
      { for: "1m" },
      { resolve_after: "1m" },
      { schedule: "2m" },
      { severity: "info" },
      { labels: "{a: b}" },
      { notify: "[console]" },
      { title: "x" },
      { note: "x" },
      { send_resolved: "false" },
      { missing_after: "6m" },
      { min_age: "6m" },
      { max_age: "6h" },
      { on_missing: "fire" },
      { remind: "[1h, 6h]" },
      { remind: "[6h, 1h]" },
      { worse_by: "1 gwei" },
      { cooldown: "1h" },
      { once: "true" },
    ].map((keys) => source(ruleText(keys)));
    expect(new Set(variants).size).toBe(variants.length);
  });
});

it("reads a thousand rules in time that grows with their number", () => {
  const rules = Array.from({ length: 1_000 }, (_, i) =>
    pool({
      name: `rule ${i}`,
      resolve_when: "{above: 1.2M usd}",
      schedule: i % 2 ? "1m" : '"*/2 * * * *"',
    }).replace("rules:\n", ""),
  );
  // Of CPU, since other tests run beside it.
  const start = process.cpuUsage();
  expect(read(`rules:\n${rules.join("")}`).rules).toHaveLength(1_000);
  expect(cpuMsSince(start)).toBeLessThan(5_000);
});

it("prints a problem without a line when the file has none", () => {
  const [problem] = problemsOf("");
  expect(problem && formatProblem(problem)).toBe("rules.yaml:1:1: the file is empty [empty]");
});
