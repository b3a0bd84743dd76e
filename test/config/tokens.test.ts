import { describe, expect, it } from "vitest";
import { one, printed, ruleText, said, warned } from "./rules-text.ts";

const TOKEN = "0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a";
const OTHER = `0x${"a1".repeat(20)}`;
const WALLET = "0x1111111111111111111111111111111111111111";

const supply = (watch: string, when = "{metric: total_supply, below: 5M tokens}") =>
  ruleText({ watch: `{kind: token_supply, ${watch}}`, when });
const balance = (watch: string) =>
  ruleText({ watch: `{kind: token_balance, ${watch}}`, when: "{metric: balance, above: 0}" });
const keysOf = (text: string) => one(text).subjects.map(({ key }) => key);
const named = (text: string) => one(text).subjects.map(({ name }) => name);

describe("the tokens of a rule", () => {
  it("are one address or a list, keep every digit without quotes, and take chains from the watch", () => {
    const key = `token_supply:1:${TOKEN.toLowerCase()}`;
    expect(keysOf(supply(`chain: 1, token: ${TOKEN}, decimals: 6`))).toEqual([key]);
    expect(keysOf(supply(`chain: [1, 137], token: [${TOKEN}, ${OTHER}], decimals: 6`))).toEqual([
      key,
      key.replace(":1:", ":137:"),
      `token_supply:1:${OTHER}`,
      `token_supply:137:${OTHER}`,
    ]);
  });

  it("have names, chains and decimals of their own", () => {
    const text = supply(
      `chain: 1, decimals: 6, token: [{id: ${TOKEN}, name: AUSD, chain: [polygon, monad]}, {id: ${OTHER}, decimals: 18}]`,
    );
    const { subjects, decimals } = one(text);
    expect(
      subjects.map(({ chainId, name, key }) => [chainId, name, decimals.get(key) ?? null]),
    ).toEqual([
      [137, "AUSD", 6],
      [143, "AUSD", 6],
      [1, null, 18],
    ]);
    expect(named(supply(`chain: 1, token: {id: ${TOKEN}, name: AUSD, decimals: 6}`))).toEqual([
      "AUSD",
    ]);
  });

  it("may have any letter case: a checksum is not looked at", () => {
    const mixed = TOKEN.replace("eFE302", "EfE302");
    expect(keysOf(supply(`chain: 1, token: ${mixed}, decimals: 6`))).toEqual(
      keysOf(supply(`chain: 1, token: "${TOKEN.toLowerCase()}", decimals: 6`)),
    );
  });

  it.each([
    [
      "token: 0xA0b8",
      "token has 4 hex digits, and an address has 40, expected an address, 0x and 40 hex digits",
    ],
    [`token: ${TOKEN}0`, "token has 41 hex digits, and an address has 40"],
    [`token: [${TOKEN}${"0".repeat(24)}]`, "it looks like a pool id"],
    [`token: ${TOKEN.slice(2)}`, "token has no 0x before its 40 hex digits"],
    ["token: AUSD", '"AUSD" is not an address'],
    ["decimals: 6", "token is missing, expected an id, or a list of ids"],
    [`token: ${TOKEN}, decimals: 37`, 'decimals "37" does not fit, expected a whole number from 0'],
    [`token: ${TOKEN}, decimals: 6.5`, 'decimals "6.5" does not fit'],
    [`token: ${TOKEN}, decimals: [6]`, "decimals is a list"],
    [`token: {id: ${TOKEN}, decimals: -1}`, 'decimals "-1" does not fit'],
    [`token: {id: ${TOKEN}, protocol: dexa}`, "unknown key `protocol` in a target"],
    [`token: ${TOKEN}, wallet: ${WALLET}`, "unknown key `wallet` in a token_supply watch"],
    [`token: ${TOKEN}, top: 5`, "unknown key `top` in a token_supply watch"],
  ])("with %s are refused", (targets, message) => {
    const when = "{metric: total_supply, above: 5 raw}";
    expect(said(supply(`chain: 1, ${targets}`, when)).join("\n")).toContain(message);
  });

  it("warn on a chain that the service does not serve", () => {
    const watch = (chain: string) =>
      supply(`chain: ${chain}, token: ${TOKEN}`, "{metric: total_supply, above: 5 raw}");
    expect(warned(watch("[1, 137, 143, 13371, 43114, 747474]"))).toEqual([]);
    expect(warned(watch("[1, base]"))).toEqual([
      "rules.yaml:3:44: the service may have no answer for token_supply on Base, expected one of ethereum, polygon, monad, immutable, avalanche or katana: it serves these chains for now [chain-not-served]",
    ]);
  });
});

describe("the decimals of a token", () => {
  const rule = (name: string, watch: string, when: string) =>
    `  - name: ${name}\n    watch: {${watch}}\n    when: ${when}\n`;
  const supplyOf = (name: string, rest: string) =>
    rule(name, `kind: token_supply, chain: 1, ${rest}`, "{metric: total_supply, below: 5M raw}");

  it("are the same in every rule and reference, or both places are named", () => {
    const other = `token: {id: "${TOKEN.toLowerCase()}", decimals: 18}`;
    const message = (d: number, first: number, line: number, chain = "Ethereum") =>
      `the token 0x000000…012a on ${chain} has ${d} decimals here, and ${first} in rules.yaml:${line}, expected the decimals that the token has, in both places [decimals-differ]`;
    expect(
      said(`rules:\n${supplyOf("a", `token: ${TOKEN}, decimals: 6`)}${supplyOf("b", other)}`),
    ).toEqual([`rules.yaml:6:111: ${message(18, 6, 3)}`]);
    const balances = rule(
      "b",
      `kind: token_balance, chain: [137, 1], token: ${TOKEN}, wallet: ${WALLET}, decimals: 8`,
      "{metric: balance, above: 1}",
    );
    expect(
      said(`rules:\n${supplyOf("a", `token: [${OTHER}, ${TOKEN}], decimals: 6`)}${balances}`),
    ).toEqual([expect.stringContaining(message(8, 6, 3))]);
    const reference = `references:\n  held:\n    watch: {kind: token_balance, chain: 1, token: ${TOKEN}, wallet: ${WALLET}, decimals: 18}\n    metric: balance\n`;
    const unbacked = rule(
      "a",
      `kind: token_supply, chain: 1, token: ${TOKEN}, decimals: 6`,
      "{metric: total_supply, above: 100% of held}",
    );
    expect(said(`${reference}rules:\n${unbacked}`)).toEqual([
      expect.stringContaining(message(6, 18, 3)),
    ]);
  });

  it("may differ from chain to chain, and be given in one place alone", () => {
    const chains = `token: [{id: ${TOKEN}, decimals: 6}, {id: ${TOKEN}, chain: 137, decimals: 18}]`;
    const none = rule(
      "b",
      `kind: token_supply, chain: 1, token: ${TOKEN}`,
      "{metric: total_supply, above: 0}",
    );
    expect(said(`rules:\n${supplyOf("a", chains)}${none}`)).toEqual([]);
  });

  it("are the same where a rule names the token twice", () => {
    const twice = `token: [{id: ${TOKEN}, decimals: 6}, {id: ${TOKEN}, decimals: 18}]`;
    expect(said(`rules:\n${supplyOf("a", twice)}`)).toEqual([
      "rules.yaml:3:114: the rule names this token twice, with different decimals [decimals-differ]",
    ]);
  });
});

describe("an amount of tokens", () => {
  it("needs the decimals of every token, or raw units", () => {
    expect(printed(supply(`chain: 1, token: ${TOKEN}`))).toEqual([
      `rules.yaml:4:41: "5M tokens" needs the decimals of the token, expected decimals: 6 (the token's) in the watch, legacy_base_url in the configuration (there they are asked for), or raw units such as 5000000 raw [needs-decimals]
      when: {metric: total_supply, below: 5M tokens}
                                          ^`,
    ]);
    expect(said(supply(`chain: 1, token: [{id: ${TOKEN}, decimals: 6}, ${OTHER}]`))).toHaveLength(
      1,
    );
    for (const when of [
      "{metric: total_supply, falls: 5, within: 1h}",
      "{metric: total_supply, inside: [1, 5 raw]}",
      "{metric: total_supply, crosses: 5}",
    ]) {
      expect([when, said(supply(`chain: 1, token: ${TOKEN}`, when)).length]).toEqual([when, 1]);
      expect(said(supply(`chain: 1, token: ${TOKEN}, decimals: 0`, when))).toEqual([]);
    }
  });

  it.each(["below: 5000000 raw", "above: 0", "falls: 10%, within: 1h", "below: 5M raw"])(
    "is not %s",
    (limit) => {
      const when = `{metric: total_supply, ${limit}}`;
      expect(said(supply(`chain: 1, token: ${TOKEN}`, when))).toEqual([]);
    },
  );
});

describe("the wallets of a rule", () => {
  it("are watched for each token on each chain", () => {
    const text = balance(
      `chain: [1, 137], token: [${TOKEN}, ${OTHER}], wallet: [${WALLET}, {id: ${OTHER}}]`,
    );
    const [token, wallet] = [TOKEN.toLowerCase(), WALLET];
    expect(keysOf(text)).toEqual(
      [
        [token, wallet],
        [token, OTHER],
        [OTHER, wallet],
        [OTHER, OTHER],
      ].flatMap(([of, by]) => [`token_balance:1:${of}:${by}`, `token_balance:137:${of}:${by}`]),
    );
  });

  it("give a balance its name, with the token's beside it", () => {
    const treasury = `wallet: {id: ${WALLET}, name: Treasury}`;
    expect(named(balance(`chain: 1, token: ${TOKEN}, ${treasury}`))).toEqual(["Treasury"]);
    expect(named(balance(`chain: 1, token: {id: ${TOKEN}, name: AUSD}, ${treasury}`))).toEqual([
      "Treasury (AUSD)",
    ]);
    expect(
      named(balance(`chain: 1, token: {id: ${TOKEN}, name: AUSD}, wallet: ${WALLET}`)),
    ).toEqual(["0x111111…1111 (AUSD)"]);
    expect(named(balance(`chain: 1, token: [${TOKEN}, ${OTHER}], ${treasury}`))).toEqual([
      "Treasury (token 0x000000…012a)",
      "Treasury (token 0xa1a1a1…a1a1)",
    ]);
    expect(named(balance(`chain: 1, token: ${TOKEN}, wallet: ${WALLET}`))).toEqual([null]);
  });

  it.each([
    [`token: ${TOKEN}`, "wallet is missing, expected an address, or {id: …, name: …}"],
    [`token: ${TOKEN}, wallet: 0x11`, "wallet has 2 hex digits, and an address has 40"],
    [`token: ${TOKEN}, wallet: []`, "wallet is empty: the rule would watch nothing"],
    [`token: ${TOKEN}, wallet: {id: ${WALLET}, chain: 1}`, "unknown key `chain` in a wallet"],
    [`token: ${TOKEN}, wallet: [[${WALLET}]]`, "item 1 of wallet is a list"],
    [`token: ${TOKEN}, wallet: {name: x}`, "the target has no id"],
  ])("with %s are refused", (targets, message) => {
    expect(said(balance(`chain: 1, ${targets}`)).join("\n")).toContain(message);
  });

  it("are watched once when they are named twice", () => {
    const text = balance(`chain: 1, token: ${TOKEN}, wallet: [${WALLET}, "${WALLET}"]`);
    expect(one(text).subjects).toHaveLength(1);
    expect(warned(text)[0]).toContain("names this wallet twice");
  });
});
