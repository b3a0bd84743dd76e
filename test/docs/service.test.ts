import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  ENDPOINTS,
  ENDPOINTS_OF,
  type EndpointName,
  type EndpointSpec,
  ERC20_CHAINS,
  type ParamSpec,
  SPECIFIED,
} from "../../src/api/endpoints.ts";
import { Secret } from "../../src/base/text.ts";
import { LEFT_BY_KNOWN, MOST_EXTRAS, REMEMBERED_MS } from "../../src/fetch/bad-ids/bad-ids.ts";
import { statusFailure } from "../../src/fetch/failure.ts";
import {
  FAILURES,
  FIRST_BACKOFF_MS,
  LONGEST_BACKOFF_MS,
} from "../../src/fetch/resilience/breaker.ts";
import { LONGEST_HOLD_MS } from "../../src/fetch/resilience/gate.ts";
import { retryDelay } from "../../src/fetch/resilience/retry.ts";
import { KINDS } from "../../src/kinds/index.ts";
import type { WatchKind } from "../../src/kinds/kind.ts";
import type { Answer, Ask, Failure, RawRecord, Subject } from "../../src/model/index.ts";
import { REFUSALS } from "../../src/serve/refusal.ts";

const TEXT = readFileSync(new URL("../../docs/service.md", import.meta.url), "utf8");
const NAMES = Object.keys(SPECIFIED) as EndpointName[];

/** The rows of the first table after a heading, cell by cell. */
function tableAfter(heading: string): string[][] {
  const start = TEXT.indexOf(`\n${heading}\n`);
  expect(start, `the heading ${heading}`).toBeGreaterThan(0);
  const lines = TEXT.slice(start).split("\n");
  const first = lines.findIndex((line) => line.startsWith("|---"));
  const end = lines.findIndex((line, i) => i > first && !line.startsWith("|"));
  return lines.slice(first + 1, end).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** What the document says of a parameter; nothing where there is no limit to tell. */
function limitOf(name: string, param: ParamSpec): string {
  const words: string[] = [];
  const many = param.repeat ?? param.joined?.max;
  if (many !== undefined) words.push(`${many} a request`);
  if (param.values !== undefined) words.push(param.values.join(" or "));
  if (param.max !== undefined) {
    words.push(param.min === undefined ? `at most ${param.max}` : `${param.min} to ${param.max}`);
  }
  if (param.default !== undefined) words.push(`default ${param.default}`);
  return words.length === 0 ? "" : `\`${name}\`: ${words.join(", ")}`;
}

function limitsOf({ params, maxRangeDays }: EndpointSpec): string {
  const limits = Object.entries(params).map(([name, param]) => limitOf(name, param));
  if (maxRangeDays !== undefined) limits.push(`\`from\` to \`to\`: ${maxRangeDays} days`);
  return limits.filter((limit) => limit !== "").join("; ");
}

/** Answers that make each kind ask for all that it ever asks for. */
const RECORDS: Readonly<Partial<Record<Ask["record"], RawRecord>>> = {
  supply: { total_supply: "1" },
  balance: { balance: "1" },
  // Nobody holds it: is there a supply?
  holder_count: { holder_count: 0 },
  v4_pool: {},
  // The pool that it lies in is asked for next.
  v4_position: { pool_id: `0x${"ab".repeat(32)}` },
  gas_hour: {},
  // Entries that can be followed.
  v4_swap: { block_number: 1 },
  v3_swap: { block_number: 1 },
  v4_liquidity: { tx_at_block_number: "1" },
  // The tokens are asked for next.
  v3_pool: { token0: `0x${"cd".repeat(20)}`, token1: `0x${"ce".repeat(20)}` },
  v4_pool_24h: { token0: `0x${"cd".repeat(20)}`, token1: `0x${"ce".repeat(20)}` },
};

/** A subject of each form that the kind's targets have. */
function subjectsOf(kind: WatchKind): readonly Subject[] {
  const ids = ["42", `0x${"ab".repeat(32)}`, `0x${"cd".repeat(20)}`];
  const { pattern } = kind.targets.id ?? {};
  return ids
    .filter((id) => pattern === undefined || pattern.test(id))
    .map((id) =>
      kind.subject({
        chainId: 1,
        id,
        protocol: kind.targets.protocols?.[0] ?? null,
        wallet: `0x${"ef".repeat(20)}`,
        name: null,
      }),
    );
}

const NOW = Date.UTC(2026, 0, 31);
const MONTH = 30 * 86_400_000;

/** Whatever the kind may ask for: in a round, facts included, and at the start to fill its windows. */
function endpointsOf(kind: WatchKind): { rounds: Set<EndpointName>; start: Set<EndpointName> } {
  const rounds = new Set<Ask["record"]>();
  const start = new Set<Ask["record"]>();
  for (const subject of subjectsOf(kind)) {
    const asked = new Map<string, Ask>();
    const answers = ({ key, record }: Ask): Answer | undefined =>
      asked.has(key) ? { status: "ok", records: [RECORDS[record] ?? {}] } : undefined;
    const more = (): readonly Ask[] => [
      ...kind.follow(subject, answers),
      ...(kind.facts?.(subject, answers) ?? []),
    ];
    let next = kind.asks(subject, 0);
    while (next.length > 0) {
      for (const ask of next) {
        asked.set(ask.key, ask);
        rounds.add(ask.record);
      }
      next = more().filter(({ key }) => !asked.has(key));
    }
    for (const metric of kind.metrics.keys()) {
      const known = [...asked.values()];
      const history = kind.history?.(subject, metric, NOW - MONTH, NOW, known) ?? null;
      if (history === "later") throw new Error(`${kind.kind} needs more to ask for its history`);
      if (history !== null) start.add(history.ask.record);
    }
  }
  const endpoints = (records: Iterable<Ask["record"]>): Set<EndpointName> =>
    new Set([...records].flatMap((record) => [...ENDPOINTS_OF[record]]));
  return { rounds: endpoints(rounds), start: endpoints(start) };
}

/** The endpoints that the daemon itself asks. */
const OWN: ReadonlyMap<EndpointName, string> = new Map([["verify_key", "start, `check --online`"]]);

function usersOf(name: EndpointName): string {
  const own = OWN.get(name);
  if (own !== undefined) return own;
  const users = [...KINDS.values()]
    .filter(({ variantOf }) => variantOf === undefined)
    .map((kind) => ({ kind: kind.kind, ...endpointsOf(kind) }));
  const inRounds = users.filter(({ rounds }) => rounds.has(name));
  const atStart = users.filter(({ rounds, start }) => start.has(name) && !rounds.has(name));
  return [
    ...inRounds.map(({ kind }) => `\`${kind}\``),
    ...atStart.map(({ kind }) => `\`${kind}\` (start)`),
  ].join(", ");
}

describe("the endpoints that watch kinds use", () => {
  it("are all", () => {
    expect(NAMES.filter((name) => usersOf(name) === "")).toEqual([]);
  });

  it("are one or two for each kind", () => {
    const used = [...KINDS.values()].map((kind) => [kind.kind, [...endpointsOf(kind).rounds]]);
    expect(Object.fromEntries(used)).toMatchObject({
      v4_position: ["v4_position", "v4_pool"],
      holder_count: ["holder_count", "supply"],
      gas: ["gas_hourly"],
    });
  });
});

describe("docs/service.md", () => {
  it.each(["current", "earlier"] as const)("has every endpoint of the %s family", (family) => {
    const documented = tableAfter(`### ${family === "current" ? "Current" : "Earlier"} family`);
    const wanted = NAMES.filter((name) => ENDPOINTS[name].family === family).map((name) => {
      const { base, path } = ENDPOINTS[name];
      return [`\`${name}\``, `\`{${base}}${path}\``, limitsOf(ENDPOINTS[name]), usersOf(name)];
    });
    expect(documented).toEqual(wanted);
  });

  it("has the chains of the ERC-20 endpoints", () => {
    const [, chains = ""] = /^Chains of the ERC-20 endpoints: ([\d, ]+)\.$/m.exec(TEXT) ?? [];
    expect(chains.split(", ").map(Number)).toEqual(ERC20_CHAINS);
  });

  it("has every refusal of the embedded service with its status", () => {
    const documented = tableAfter("## The embedded service").map(([code, status]) => [
      code,
      status,
    ]);
    const wanted = Object.entries(REFUSALS).map(([code, status]) => [`\`${code}\``, `${status}`]);
    expect(documented).toEqual(wanted);
  });

  const failures = tableAfter("## When a request fails");

  it("has every reason for a failure, and no other", () => {
    const reasons: Readonly<Record<Failure["reason"], true>> = {
      timeout: true,
      network: true,
      unauthorized: true,
      rate_limited: true,
      refused: true,
      server_error: true,
      malformed: true,
      too_large: true,
      out_of_time: true,
    };
    const documented = failures.map(([, reason = ""]) => reason.replaceAll("`", ""));
    expect([...new Set(documented)].toSorted()).toEqual(Object.keys(reasons).toSorted());
  });

  it("says of each failure whether it is tried again", () => {
    const key = new Secret("k");
    for (const [what = "", reason = "", again] of failures) {
      const known = reason.replaceAll("`", "") as Failure["reason"];
      const statuses = Array.from(what.matchAll(/\b[345]\d\d\b/g), ([status]) => Number(status));
      const attempts =
        statuses.length === 0
          ? [{ failure: { reason: known, detail: "" }, status: null }]
          : statuses.map((status) => ({ failure: statusFailure(status, "", key), status }));
      for (const attempt of attempts) {
        const delay = retryDelay({ ...attempt, retryAfterMs: null }, 1, 250, 10_000);
        expect([what, attempt.failure.reason, delay === null ? "no" : "yes"]).toEqual([
          what,
          known,
          again,
        ]);
      }
    }
  });

  it("has the bounds that the source keeps", () => {
    const text = TEXT.replaceAll(/\s+/g, " ");
    for (const words of [
      `at most ${MOST_EXTRAS} extra requests for an endpoint and round`,
      `leave at least ${LEFT_BY_KNOWN} of them to new ones`,
      `was not asked for ${REMEMBERED_MS / 3_600_000} hour`,
      `After ${FAILURES} requests in a row`,
      `not asked for ${FIRST_BACKOFF_MS / 1_000} seconds, then for twice as long each time, up to ${LONGEST_BACKOFF_MS / 1_000} seconds`,
      `More than ${LONGEST_HOLD_MS / 3_600_000} hour is taken for`,
    ]) {
      expect(text).toContain(words);
    }
  });
});
