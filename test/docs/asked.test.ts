import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { PROTOCOLS } from "../../src/api/endpoints.ts";
import { Secret } from "../../src/base/text.ts";
import { lookOnce } from "../../src/cli/look.ts";
import { TextFile } from "../../src/config/files/text-file.ts";
import { readRuleFiles } from "../../src/config/rules/rules.ts";
import { KINDS } from "../../src/kinds/index.ts";
import type { Rule, Setup } from "../../src/model/index.ts";
import { STABLECOIN } from "../../src/simulator/listed-tokens.ts";
import { createMarket, type Market } from "../../src/simulator/market.ts";
import { NETWORKS } from "../../src/simulator/networks.ts";
import { LISTED_POSITIONS } from "../../src/simulator/positions.ts";
import { needsNode } from "../support/of-nodes.ts";
import { startHere } from "../support/program.ts";

/** The rules of the documents, without their cases, and those that come with the program, which share lists. */
const PAGES = [
  "README.md",
  ...readdirSync("docs")
    // Its inputs are wrong on purpose.
    .filter((name) => name.endsWith(".md") && name !== "errors.md")
    .map((name) => `docs/${name}`),
];
const TEXTS = PAGES.flatMap((page) =>
  Array.from(
    readFileSync(page, "utf8").matchAll(/^```yaml\n([\s\S]+?)^```$/gm),
    ([, text = ""], i) => ({
      name: `${page} ${i + 1}`,
      texts: [text.split(/^cases:/m)[0] ?? ""],
    }),
  ),
).filter(({ texts: [text = ""] }) => /^rules:\n/m.test(text));
const OWN = readdirSync("rules").filter((name) => /(?<!\.test)\.yaml$/.test(name));
TEXTS.push({ name: "rules/", texts: OWN.map((name) => readFileSync(`rules/${name}`, "utf8")) });

const START = Date.UTC(2026, 0, 1);

/** The rules of one text, called so that those of another are not meant; gates do not count here. */
async function rulesOf({ name, texts }: (typeof TEXTS)[number]): Promise<readonly Rule[]> {
  const own = texts.map((text) => text.replaceAll(/^(?:start|every|rule_files): .*\n/gm, ""));
  const words = Array.from(own.join("\n").matchAll(/[a-z]+(?:-[a-z]+)*/g), ([word]) => word);
  const files = own.map((text) => new TextFile(name, text));
  const read = await readRuleFiles(files, {
    channels: ["console", ...words],
    watches: KINDS,
    addresses: new Set(["base_url", "legacy_base_url", "rpc"]),
  });
  // A gate may stand in another part of its page.
  const others = read.errors.filter(({ message }) => !message.startsWith("there is no rule"));
  expect([name, others.map(({ message }) => message)]).toEqual([name, []]);
  // What only nodes know is read from one in test/node.
  const asked = read.rules.filter(({ kind }) => !needsNode(KINDS.get(kind) ?? { records: [] }));
  return asked.map((rule) => ({ ...rule, name: `${name}: ${rule.name}`, gates: null }));
}

function setupOf(rules: readonly Rule[], address: string, key: string): Setup {
  return {
    service: {
      baseUrl: address,
      legacyBaseUrl: address,
      apiKey: new Secret(key),
      timeoutMs: 10_000,
      concurrency: 8,
      requestsPerSecond: 1_000,
    },
    rules,
    channels: [],
    store: ":memory:",
    cluster: null,
    groupWaitMs: 0,
    heartbeat: null,
    web: null,
    selfNotify: [],
    reports: [],
    retentionMs: 90 * 86_400_000,
    logLevel: "silent",
    reload: "signal",
  };
}

/** All that the embedded service can be asked for by an id: on any chain, by either protocol. */
function isServed(market: Market, id: string): boolean {
  return NETWORKS.some(({ chainId }) => {
    if (!id.startsWith("0x")) {
      return PROTOCOLS.some((protocol) => market.position(chainId, protocol, id, START));
    }
    const wallet = market.balance(chainId, STABLECOIN, id, START);
    return (
      market.pool(chainId, id, START) !== undefined ||
      market.v3Pool(chainId, id, START) !== undefined ||
      market.tokenInfo(chainId, id, START) !== undefined ||
      (wallet !== undefined && wallet.balance !== "0") ||
      managers(market, chainId).includes(id.toLowerCase())
    );
  });
}

/** The contracts of the listed positions: links in notices name them. */
function managers(market: Market, chainId: number): readonly string[] {
  return LISTED_POSITIONS.flatMap(({ nft }) =>
    PROTOCOLS.flatMap(
      (protocol) =>
        market.position(chainId, protocol, nft, START)?.manager_address.toLowerCase() ?? [],
    ),
  );
}

describe("each id in the documents, the example configuration, rules and scenarios", () => {
  const market = createMarket({ seed: 1, start: START });
  const files = [
    ...PAGES,
    "config.example.yaml",
    ...readdirSync("docs/examples").map((name) => `docs/examples/${name}`),
    ...OWN.map((name) => `rules/${name}`),
  ];

  it.each(files)("of %s is one that the embedded service has", (file) => {
    // A case's answers are written down and not asked for.
    const text = readFileSync(file, "utf8").replaceAll(/^cases:\n[\s\S]*?^```$/gm, "");
    const ids = [
      ...(text.match(/\b0x(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{40})\b/g) ?? []),
      ...Array.from(text.matchAll(/\b(?:ids|nft): \[?"?(\d+)"?\]?/g), ([, nft = ""]) => nft),
    ];
    expect(ids.filter((id) => !isServed(market, id))).toEqual([]);
  });

  it("is found where it stands, and a wrong one is not served", () => {
    expect(isServed(market, "128404")).toBe(true);
    for (const wrong of ["1", `0x${"22".repeat(20)}`, `0x${"22".repeat(32)}`]) {
      expect([wrong, isServed(market, wrong)]).toEqual([wrong, false]);
    }
    expect(readFileSync("config.example.yaml", "utf8")).toContain("\nrules: [rules/*.yaml]");
  });
});

describe("what the documents and the rules that come with the program name", () => {
  it("can be asked of the embedded service", async (owner) => {
    const rules = (await Promise.all(TEXTS.map(rulesOf))).flat();
    expect(rules.length).toBeGreaterThan(50);
    const serve = startHere(owner, ["serve", "--port", "0"]);
    const address = (await serve.outLine((line) => line.startsWith("base_url: "))).slice(10);
    const key = (await serve.outLine((line) => line.startsWith("api_key: "))).slice(9);
    const stop = new AbortController().signal;
    const silent = (): void => {};
    const io = {
      out: silent,
      err: silent,
      env: {},
      colours: false,
      errTerminal: false,
      errColours: false,
      onHangup: silent,
      stop: () => stop,
      unread: stop,
    };
    const { seen, round } = await lookOnce(setupOf(rules, address, key), io);
    expect(seen.length).toBeGreaterThan(80);
    expect(Object.entries(round.failures).map(([ask, { detail }]) => `${ask}: ${detail}`)).toEqual(
      [],
    );
    // What is followed has no value before its second round, and says no trouble then.
    const lacking = seen.filter(
      ({ subject, state, trouble }) =>
        state === "no data" && trouble !== null && !subject.startsWith("source:"),
    );
    const said = lacking.map(
      ({ rule, subject, trouble }) => `${rule}: ${subject}: ${trouble ?? ""}`,
    );
    expect(said).toEqual([]);
    serve.kill("SIGTERM");
    await serve.ended;
  });
});
