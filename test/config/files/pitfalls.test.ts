import { describe, expect, it } from "vitest";
import { printed, ruleText, said, warned } from "../rules-text.ts";

/** Rule text, and what is printed of it; the whole of it, caret and all. */
const CASES: readonly (readonly [string, string, string])[] = [
  [
    "a channel that begins with # is a comment",
    ruleText({ notify: "#lp" }),
    `rules.yaml:5:13: the # begins a comment, so there is no value, expected quotes around a value that begins with #; did you mean \`"#lp"\`? [comment-cuts-value]
      notify: #lp
              ^`,
  ],
  [
    "a # after a space cuts a name off",
    ruleText({ name: "ETH/USDC #43" }),
    `rules.yaml:2:20: the text ends before the #, which begins a comment, expected quotes around the value, or a space after the # of a comment; did you mean \`"ETH/USDC #43"\`? [comment-cuts-value]
    - name: ETH/USDC #43
                     ^`,
  ],
  [
    "a tab, for which the next lines are not blamed",
    "rules:\n  - name: a\n\twatch: {kind: gas, chain: ethereum}\n    when: {metric: tip_top10, above: 5 gwei}\n    for: 1h\n",
    `rules.yaml:3:1: a tab indents this line, expected spaces, which is all that YAML allows there [bad-yaml]
    watch: {kind: gas, chain: ethereum}
  ^`,
  ],
  [
    "a key between the columns of a list and of its keys",
    "rules:\n  - name: a\n   watch: {kind: gas, chain: ethereum}\n    when: {metric: tip_top10, above: 5 gwei}\n",
    `rules.yaml:3:1: the indentation does not fit the lines above, expected the keys of one map, or the items of one list, in one column [bad-yaml]
     watch: {kind: gas, chain: ethereum}
  ^`,
  ],
  [
    "a key that is misspelt is not missing as well",
    "rules:\n  - name: a\n    wathc: {kind: gas, chain: ethereum}\n    when: {metric: tip_top10, above: 5 gwei}\n",
    `rules.yaml:3:5: unknown key \`wathc\` in a rule; did you mean \`watch\`? [unknown-key]
      wathc: {kind: gas, chain: ethereum}
      ^`,
  ],
  [
    "another word for a comparison",
    ruleText({ when: "{metric: tip_top10, under: 2 gwei}" }),
    `rules.yaml:4:31: unknown key \`under\` in a condition; did you mean \`below\`? [unknown-key]
      when: {metric: tip_top10, under: 2 gwei}
                                ^`,
  ],
  [
    "an unquoted reference after text in quotes",
    'rules:\n  - {name: "a", note: ${env:NOTE}}\n',
    `rules.yaml:2:23: an unquoted \${env:NOTE} cannot stand within { } or [ ], expected quotes around it; did you mean \`"\${env:NOTE}"\`? [needs-quotes]
    - {name: "a", note: \${env:NOTE}}
                        ^`,
  ],
  [
    "an unquoted template is a map",
    ruleText({ title: "{{ x }}" }),
    `rules.yaml:5:12: an unquoted {{ begins a map, expected quotes around the text [needs-quotes]
      title: {{ x }}
             ^`,
  ],
  [
    "an unquoted template with text after it",
    ruleText({ title: "{{ x }} is out" }),
    `rules.yaml:5:12: an unquoted {{ begins a map, expected quotes around the text [needs-quotes]
      title: {{ x }} is out
             ^`,
  ],
  [
    "commas part a number in a flow map",
    ruleText({ when: "{metric: tip_top10, below: 1,000,000 wei}" }),
    `rules.yaml:4:38: the commas within { } split the number, expected a point before decimals, and _ between groups of digits, as in 1_000_000.5; did you mean \`1_000_000 wei\`? [number-format]
      when: {metric: tip_top10, below: 1,000,000 wei}
                                       ^`,
  ],
  ...[
    "0,5 gwei|0.5 gwei",
    "1,005 gwei|1.005 gwei or 1_005 gwei",
    "12,5|12.5",
    "1.000,5gwei|1_000.5gwei",
  ].map((pair): [string, string, string] => {
    const [text = "", meant = ""] = pair.split("|");
    return [
      `the comma of ${text} in a flow map`,
      ruleText({ when: `{metric: tip_top10, below: ${text}}` }),
      `rules.yaml:4:38: the commas within { } split the number, expected a point before decimals, and _ between groups of digits, as in 1_000_000.5; did you mean ${meant.includes(" or ") ? meant : `\`${meant}\``}? [number-format]
      when: {metric: tip_top10, below: ${text}}
                                       ^`,
    ];
  }),
  [
    "a percentage of a percentile with a comma in a flow map",
    ruleText({ when: "{metric: tip_top10, above: 1,5% of p50, within: 7d}" }),
    `rules.yaml:4:38: the commas within { } split the number, expected a point before decimals, and _ between groups of digits, as in 1_000_000.5; did you mean \`1.5% of p50\`? [number-format]
      when: {metric: tip_top10, above: 1,5% of p50, within: 7d}
                                       ^`,
  ],
  [
    "several chains without brackets in a flow map",
    ruleText({ watch: "{kind: gas, chain: 1,137}" }),
    `rules.yaml:3:31: several values need [ ] around them, expected a list; did you mean \`[1, 137]\`? [missing-brackets]
      watch: {kind: gas, chain: 1,137}
                                ^`,
  ],
  [
    "commas in a number outside of a flow map",
    ruleText({ when: "\n      metric: tip_top10\n      below: 1,000,000 wei" }),
    `rules.yaml:6:14: "1,000,000 wei" has a comma in its number, expected an amount such as 5 gwei or 250000000 wei; did you mean \`1_000_000 wei\`? [number-format]
        below: 1,000,000 wei
               ^`,
  ],
  [
    "an unquoted cron expression begins an alias",
    ruleText({ schedule: "*/2 * * * *" }),
    `rules.yaml:5:15: an unquoted * begins an alias, expected quotes around a cron expression; did you mean \`"*/2 * * * *"\`? [needs-quotes]
      schedule: */2 * * * *
                ^`,
  ],
  [
    "an unquoted cron expression that begins with a plain star",
    ruleText({ schedule: "* * * * *" }),
    `rules.yaml:5:15: an unquoted * begins an alias, expected quotes around a cron expression; did you mean \`"* * * * *"\`? [needs-quotes]
      schedule: * * * * *
                ^`,
  ],
  [
    "a lone star is an alias without its anchor",
    ruleText({ schedule: "*/2" }),
    `rules.yaml:5:15: an unquoted * begins an alias, and no anchor has its name, expected quotes around text that begins with a * [bad-yaml]
      schedule: */2
                ^`,
  ],
  [
    "a no-break space before a value",
    ruleText({ for: "5m" }).replace("for: ", "for:\u00a0"),
    `rules.yaml:5:5: this key has no value; character 9 of the line is U+00A0, a no-break space, expected KEY: VALUE with a space after the colon [bad-yaml]
      for:\u00a05m
      ^`,
  ],
  [
    "a sign that nobody sees in a name",
    ruleText({ when: '{metric: "tip_top10\u200b", above: 5 gwei}' }),
    `rules.yaml:4:20: gas has no metric "tip_top10"; character 30 of the line is U+200B, a zero-width space, expected a metric of gas such as tip_top5, tip_top10, tip_min, tip_max or price_top10; did you mean \`tip_top10\`? [unknown-metric]
      when: {metric: "tip_top10·", above: 5 gwei}
                     ^`,
  ],
  [
    "no sign of an emoji that is made of several",
    ruleText({ severity: "\u{1f469}\u200d\u{1f692}\u26a0\ufe0f" }),
    `rules.yaml:5:15: severity "\u{1f469}\u{1f692}\u26a0" is not known, expected info, warning or critical [unknown-word]
      severity: \u{1f469}·\u{1f692}\u26a0\ufe0f
                ^`,
  ],
  [
    "a zero byte within a value",
    ruleText({ for: "5\u0000m" }),
    `rules.yaml:5:10: for "5m" is not a duration; character 11 of the line is U+0000, expected a duration such as 30s, 5m or 1h30m [bad-duration]
      for: 5·m
           ^`,
  ],
  [
    "a quote that the next one seems to close",
    `${ruleText({ name: '"a' })}${ruleText({ name: '"b"' }).slice("rules:\n".length)}`,
    `rules.yaml:2:11: nothing closes the quote that begins here, expected the same quote at the end of the text, or none at all [bad-yaml]
    - name: "a
            ^`,
  ],
  [
    "a quote within brackets that nothing closes",
    ruleText({ notify: '["console, lp-slack]' }),
    `rules.yaml:5:14: nothing closes the quote that begins here, expected the same quote at the end of the text, or none at all [bad-yaml]
      notify: ["console, lp-slack]
               ^`,
  ],
  [
    "an apostrophe that begins a text",
    ruleText({ title: "'tis high", note: "it's high" }),
    `rules.yaml:5:12: nothing closes the quote that begins here, expected the same quote at the end of the text, or none at all [bad-yaml]
      title: 'tis high
             ^`,
  ],
  [
    "YAML's merge key",
    "rules:\n  - &a {name: a, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 5 gwei}}\n  - {<<: *a, name: b, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 5 gwei}}\n",
    `rules.yaml:3:6: YAML's merge key << is not used here, expected the keys themselves, or an alias as a whole value (watch: *NAME) [unknown-key]
    - {<<: *a, name: b, watch: {kind: gas, chain: 1}, when: {metric: tip_top10, above: 5 gwei}}
       ^`,
  ],
  [
    "a tab indents a line",
    "rules:\n\t- name: x\n",
    `rules.yaml:2:1: a tab indents this line, expected spaces, which is all that YAML allows there [bad-yaml]
    - name: x
  ^`,
  ],
  [
    "a tab after spaces",
    "rules:\n  - name: x\n    watch:\n    \tkind: gas\n",
    `rules.yaml:4:5: a tab indents this line, expected spaces, which is all that YAML allows there [bad-yaml]
        kind: gas
      ^`,
  ],
  [
    "a key twice",
    ruleText({ for: "1m\n    for: 2m" }),
    `rules.yaml:6:5: duplicate key \`for\`, first in line 5 [duplicate-key]
      for: 2m
      ^`,
  ],
  [
    "a reference unquoted in a flow map",
    ruleText({ watch: `{kind: gas, chain: \${env:CHAIN}}` }),
    `rules.yaml:3:31: an unquoted \${env:CHAIN} cannot stand within { } or [ ], expected quotes around it; did you mean \`"\${env:CHAIN}"\`? [needs-quotes]
      watch: {kind: gas, chain: \${env:CHAIN}}
                                ^`,
  ],
  [
    "a reference in a rule",
    ruleText({ note: `"\${env:NOTE}"` }),
    `rules.yaml:5:11: references to secrets are for config.yaml, not for rules [secret-in-rules]
      note: "\${env:NOTE}"
            ^`,
  ],
  [
    "no is text",
    ruleText({ enabled: "no" }),
    `rules.yaml:5:14: enabled "no" is text to YAML, expected true or false; did you mean \`false\`? [wrong-type]
      enabled: no
               ^`,
  ],
  [
    "a duration without a unit",
    ruleText({ for: "5" }),
    `rules.yaml:5:10: for "5" has no unit, expected a duration such as 30s, 5m or 1h30m; did you mean \`5m\`? [bad-duration]
      for: 5
           ^`,
  ],
  [
    "a schedule without a unit",
    ruleText({ schedule: "5" }),
    `rules.yaml:5:15: schedule "5" has no unit, expected a duration such as 1m, a cron expression, or block; did you mean \`5m\`? [bad-schedule]
      schedule: 5
                ^`,
  ],
  [
    "a misspelt chain",
    ruleText({ watch: "{kind: gas, chain: etherium}" }),
    `rules.yaml:3:31: unknown chain "etherium", expected a name such as ethereum, or a number; did you mean \`ethereum\`? [unknown-chain]
      watch: {kind: gas, chain: etherium}
                                ^`,
  ],
  [
    "a second colon in a line",
    ruleText({ note: "now: in range" }),
    `rules.yaml:5:11: a map begins within a value, expected the keys of one map in one column, and quotes around a value that holds ': ' [bad-yaml]
      note: now: in range
            ^`,
  ],
  [
    "a quote that is not closed",
    'rules:\n  - name: "tips\n',
    `rules.yaml:2:11: nothing closes the quote that begins here, expected the same quote at the end of the text, or none at all [bad-yaml]
    - name: "tips
            ^`,
  ],
  [
    "a bracket that is not closed",
    "rules:\n  - {name: x, watch: [1, 2}\n",
    `rules.yaml:2:27: a [ or { before this is not closed, or this line is indented too little [bad-yaml]
    - {name: x, watch: [1, 2}
                            ^`,
  ],
  [
    "a value that begins with a reserved character",
    ruleText({ title: "@here" }),
    `rules.yaml:5:12: a value cannot begin with this character, expected quotes around the value [needs-quotes]
      title: @here
             ^`,
  ],
  [
    "a tag",
    ruleText({ title: "!important" }),
    `rules.yaml:5:12: tags such as !name are not used here, expected quotes around text with a ! [needs-quotes]
      title: !important
             ^`,
  ],
  [
    "a key without a value",
    ruleText({ notify: "" }),
    `rules.yaml:5:5: notify has no value, expected console or lp-slack [wrong-type]
      notify: 
      ^`,
  ],
];

describe("what YAML reads otherwise than it was meant", () => {
  it.each(CASES)("%s", (_name, text, expected) => {
    const [first] = printed(text);
    expect(first?.replaceAll(/ +$/gm, "")).toBe(expected.replaceAll(/ +$/gm, ""));
  });

  it("says each of them once and nothing that follows from it", () => {
    for (const [name, text] of CASES.slice(0, 27)) {
      expect([name, printed(text).length]).toEqual([name, 1]);
    }
  });

  it("takes a comment with a space after its # for a comment", () => {
    expect(said(ruleText({ name: "tips # the first", notify: "[console] #x" }))).toEqual([]);
  });

  it("keeps a # in quotes or within a word", () => {
    expect(said(ruleText({ name: '"ETH/USDC #43"', title: "position#43" }))).toEqual([]);
  });

  it("reports the slips of several lines at once", () => {
    const text = `rules:\n  - name: a\n    schedule: */2 * * * *\n    title: {{ x }} y\n\twatch: {}\n`;
    expect(said(text).map((line) => line.slice(0, 15))).toEqual([
      "rules.yaml:3:15",
      "rules.yaml:4:12",
      "rules.yaml:5:1:",
    ]);
  });
});

describe("a number after a #", () => {
  it.each([
    ["title", "ETH/USDC # 43", 21],
    ["note", "Call Anna # 12", 21],
    ["notify", "console # 2", 21],
  ])("that %s surely lost is doubted: %s", (key, text, column) => {
    expect(warned(ruleText({ [key]: text }))).toContain(
      `rules.yaml:5:${column}: the text ends before the #, which begins a comment, expected quotes around the value, or a space after the # of a comment; did you mean \`"${text}"\`? [comment-cuts-value]`,
    );
  });

  it.each(["Call Anna  # since May", "Call Anna # 12 positions", "Call Anna  # 12", '"Pool # 12"'])(
    "is none in %s",
    (text) => {
      expect(warned(ruleText({ note: text }))).toEqual([]);
    },
  );
});

describe("files that are no rules", () => {
  it.each([
    ["", "rules.yaml:1:1: the file is empty [empty]"],
    ["# nothing\n", "rules.yaml:1:1: the file is empty [empty]"],
    ["---\n", "rules.yaml:1:1: the file is empty [empty]"],
    [
      "hello",
      "rules.yaml:1:1: the file is not a map, expected rules: and below it a list of rules [wrong-type]",
    ],
    [
      "- name: x\n",
      "rules.yaml:1:1: the file is not a map, expected rules: and below it a list of rules [wrong-type]",
    ],
    [
      "rules: {}\n",
      "rules.yaml:1:8: rules is not a list, expected a list of rules, each beginning with '- name: …' [wrong-type]",
    ],
    [
      "rule: []\n",
      "rules.yaml:1:1: unknown key `rule` in a rules file; did you mean `rules`? [unknown-key]",
    ],
    [
      "rules: []\n---\nrules: []\n",
      "rules.yaml:2:1: a second document begins here, expected one document in a file [bad-yaml]",
    ],
    [
      "rules: [1]\n",
      "rules.yaml:1:9: a rule is text, expected a map with keys such as name, watch, when [wrong-type]",
    ],
    [
      "? [a]\n: b\n",
      "rules.yaml:1:3: a key must be text, expected a name before the ':' [bad-name]",
    ],
    ["__proto__: {}\nrules: []\n", "rules.yaml:1:1: __proto__ cannot be a key [bad-name]"],
    [
      "references: []\nrules: []\n",
      "rules.yaml:1:13: references is a list, expected names, each with {watch: {kind: token_balance, …}, metric: balance} [wrong-type]",
    ],
  ])("%j", (text, expected) => {
    expect(said(text)).toContain(expected);
  });

  it("bounds nesting without falling over", () => {
    expect(said(`rules: ${"[".repeat(100_000)}`)).toHaveLength(1);
    const nested = said(`rules: ${"[".repeat(200)}${"]".repeat(200)}`);
    expect(nested).toContain("rules.yaml:1:72: this is nested more than 64 deep [too-large]");
  });

  it("allows a hundred aliases and no more", () => {
    const aliases = (count: number) =>
      `rules:\n  - name: &a x\n    watch: {kind: gas, chain: 1}\n    when: {metric: tip_top10, above: 5 gwei}\n    labels: {${Array.from({ length: count }, (_, i) => `k${i}: *a`).join(", ")}}\n`;
    expect(said(aliases(30))).toEqual([]);
    expect(said(aliases(101)).at(-1)).toContain("the file has more than 100 aliases");
  });

  it("follows an alias to what was meant", () => {
    const text = `rules:
  - name: a
    watch: &gas {kind: gas, chain: 1}
    when: &high {metric: tip_top10, above: 5 gwei}
  - name: b
    watch: *gas
    when: *high
`;
    expect(said(text)).toEqual([]);
  });

  it("refuses aliases that multiply", () => {
    const levels = Array.from({ length: 9 }, (_, i) => {
      const inner = i === 0 ? "1" : `*a${i - 1}`;
      return `a${i}: &a${i} [${Array.from({ length: 10 }, () => inner).join(", ")}]`;
    });
    expect(said(`${levels.join("\n")}\nrules: []\n`)).toContain(
      "rules.yaml:1:1: its aliases make the file too large, expected at most 1000000 parts [too-large]",
    );
  });

  it("refuses an alias within its own anchor", () => {
    expect(said("rules: &a [*a]\n")[0]).toContain("this alias lies within its own anchor");
  });
});

describe("what was meant by", () => {
  const pool =
    "{kind: v4_pool, chain: 1, pools: [0x21c67e77068de97969ba93d4aab21826d33ca12bb9f565d8496e8fda8a82ca27]}";
  const tvl = (when: string): string => ruleText({ watch: pool, when });
  const gate = (key: string, names: string): string =>
    `${ruleText({ [key]: names })}${ruleText({ name: "cheap-gas", notify: "[]" }).replace("rules:\n", "")}`;
  const chains = (chain: string): string =>
    ruleText({ watch: `\n      kind: gas\n      chain: ${chain}` });

  it.each([
    [
      "two chains",
      chains("1, 137"),
      "several chains need [ ] around them, expected a list; did you mean `[1, 137]`? [missing-brackets]",
    ],
    [
      "three by name",
      chains("ethereum, polygon and base"),
      "did you mean `[ethereum, polygon, base]`?",
    ],
    ["two in quotes", chains('"1 137"'), "did you mean `[1, 137]`?"],
    [
      "two within { }",
      ruleText({ watch: "{kind: gas, chain: 1, 137}" }),
      "rules.yaml:3:31: several values need [ ] around them, expected a list; did you mean `[1, 137]`? [missing-brackets]",
    ],
    [
      "three by name within { }",
      ruleText({ watch: "{kind: gas, chain: ethereum, polygon, base}" }),
      "did you mean `[ethereum, polygon, base]`?",
    ],
    [
      "two before another key",
      ruleText({ watch: "{chain: 1, 137, kind: gas}" }),
      "did you mean `[1, 137]`?",
    ],
    [
      "two channels",
      ruleText({ notify: "console, lp-slack" }),
      "did you mean `[console, lp-slack]`?",
    ],
    [
      "a rule of Prometheus",
      ruleText({ name: null, alert: "HighTip" }),
      "unknown key `alert` in a rule; did you mean `name`?",
    ],
    [
      "a condition under alert",
      ruleText({ when: null, alert: "{metric: tip_top10, above: 5 gwei}" }),
      "unknown key `alert` in a rule; did you mean `when`?",
    ],
    [
      "a rise by less than nothing",
      tvl("{metric: tvl_usd, rises: -5%, within: 1h}"),
      'rises "-5%" is below zero, expected how far the value must go, which is above zero; did you mean `falls: 5%`?',
    ],
    [
      "a fall by less than nothing",
      tvl("{metric: tvl_usd, falls: -50_000 usd, within: 1h}"),
      "did you mean `rises: 50_000 usd`?",
    ],
    [
      "a minus that is none",
      tvl("{metric: tvl_usd, rises: \u22125%, within: 1h}"),
      "did you mean `falls: 5%`?",
    ],
    [
      "a move by less than nothing",
      tvl("{metric: tvl_usd, moves: -5%, within: 1h}"),
      "did you mean `moves: 5%`?",
    ],
    [
      "curly quotes around a name",
      ruleText({ name: "“tips”" }),
      "rules.yaml:2:11: curly quotes are a part of the text, expected straight quotes, \" or '",
    ],
    [
      "curly quotes around a cron",
      ruleText({ schedule: "“*/5 * * * *”" }),
      "rules.yaml:5:15: curly quotes are a part of the text",
    ],
    [
      "curly quotes within { }",
      ruleText({ when: "{metric: tip_top10, above: ‘5 gwei’}" }),
      "rules.yaml:4:38: curly quotes are a part of the text",
    ],
    [
      "curly quotes around a key",
      ruleText({ "“for”": "5m" }),
      "curly quotes are a part of the text",
    ],
    [
      "curly quotes around what needs some",
      ruleText({ note: "“a: b”" }),
      "rules.yaml:5:11: curly quotes are a part of the text",
    ],
    [
      "a # within { }",
      ruleText({ labels: "{pool: ETH #43}" }),
      "rules.yaml:5:24: the # begins a comment, and what closes the [ or { before it is within, expected quotes around a value that holds a #",
    ],
    [
      "a channel with a #",
      ruleText({ notify: "[#lp]" }),
      "rules.yaml:5:14: the # begins a comment, and what closes the [ or { before it is within",
    ],
    [
      "a position with a #",
      ruleText({
        watch:
          "\n      kind: v4_position\n      positions:\n        - {id: 42, chain: 1, protocol: dexa, name: NFT #42}",
      }),
      "rules.yaml:6:56: the # begins a comment",
    ],
    [
      "several gates",
      gate("only_while", "tips2, cheap-gas").replace("tips2", "cheap-gas"),
      "did you mean `[cheap-gas, cheap-gas]`?",
    ],
    [
      "a gate that is not",
      gate("only_while", "[not cheap-gas]"),
      'unknown rule "not cheap-gas"; did you mean `unless: [cheap-gas]`?',
    ],
    [
      "a gate unless it is not",
      gate("unless", '["!cheap-gas"]'),
      "did you mean `only_while: [cheap-gas]`?",
    ],
    [
      "a gate that is nowhere",
      gate("only_while", "[weekend]"),
      'unknown rule "weekend", expected the name of a rule, such as tips or cheap-gas',
    ],
    [
      "a condition as a gate",
      gate("only_while", "[tip_top10 < 5 gwei]"),
      "this condition needs one of its own, with notify: []",
    ],
  ])("%s is said", (_, text, message) => {
    const lines = said(text);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(message);
  });

  it("texts that only look so is left alone", () => {
    for (const keys of [
      { note: "'“Low” is not high'" },
      { note: '"“Low”"' },
      { note: "It said “low” today" },
      { title: "Tip “high”!" },
      { schedule: "5m # every five" },
    ]) {
      expect(said(ruleText(keys))).toEqual([]);
    }
  });
});
