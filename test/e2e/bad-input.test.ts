import type { ServerResponse } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { describe, it } from "vitest";
import { POOL_ID, poolRecord } from "../kinds/records.ts";
import { firstLine, tells, toldBy } from "../support/alert-world.ts";
import { type DaemonPlace, makePlace } from "../support/daemon-place.ts";
import type { Owner } from "../support/program.ts";
import { type Received, type Receiver, startReceiver } from "../support/receiver.ts";
import {
  type Asked,
  poolsOf,
  type Reply,
  type ScriptedService,
  sendJson,
  startScriptedService,
} from "../support/scripted-service.ts";
import { pass } from "../support/tier.ts";

/** The pool on Ethereum is answered badly, the one on Base is well all the time. */
const RULES = `
rules:
  - name: low
    watch:
      kind: v4_pool
      pools:
        - {id: "${POOL_ID}", chain: ethereum, name: Bad}
        - {id: "${POOL_ID}", chain: base, name: Good}
    when: {metric: tvl_usd, below: 900 usd}
    schedule: 1s
  - name: high
    watch: {kind: v4_pool, pools: [{id: "${POOL_ID}", chain: ethereum, name: Bad}]}
    when: {metric: tvl_usd, above: 500 usd}
    schedule: 1s
`;

interface World {
  readonly service: ScriptedService;
  readonly slack: Receiver;
  readonly place: DaemonPlace;
}

async function makeWorld(owner: Owner): Promise<World> {
  const service = await startScriptedService(owner);
  const slack = await startReceiver();
  owner.onTestFinished(() => slack.close());
  const place = await makePlace(owner, {
    serviceUrl: service.baseUrl,
    slackUrl: `${slack.origin}/services/T/B/x`,
    rules: RULES,
    level: "info",
    timeout: "1s",
  });
  return { service, slack, place };
}

function isOf(chain: string): (asked: Asked) => boolean {
  return ({ endpoint, query }) => endpoint === "pool" && query.get("chain_id") === chain;
}
const isBad = isOf("1");
const isGood = isOf("8453");

function answers(service: ScriptedService, bad: number | Reply, good: number): void {
  service.answer((asked) => {
    if (isGood(asked)) return poolsOf(asked.query, { chain_id: 8453, tvl_usd: good });
    if (!isBad(asked)) return null;
    return typeof bad === "number" ? poolsOf(asked.query, { tvl_usd: bad }) : bad;
  });
}

function status(code: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return (response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    sendJson(response, code, body);
  };
}

/** 50 MB, a piece at a time, until the other side has had enough. */
async function flood(response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "application/json" });
  const piece = Buffer.alloc(1_000_000, "[");
  for (let i = 0; i < 50 && !response.destroyed; i += 1) {
    response.write(piece);
    await turn();
  }
  response.end();
}

const NULLS = Object.fromEntries(
  Object.keys(poolRecord()).map((field) => [field, field === "pool_id" ? POOL_ID : null]),
);

interface Case {
  readonly name: string;
  readonly reply: Reply;
  /** What the log says of it. */
  readonly log: RegExp;
}

const HALF = JSON.stringify([poolRecord({ tvl_usd: 1 })]).slice(0, 900);

const CASES: readonly Case[] = [
  {
    name: "an HTML page with 200",
    reply: (response) => {
      response.setHeader("content-type", "text/html");
      response.end("<html><head><title>Hi</title></head><body><h1>It works!</h1></body></html>");
    },
    log: /^the answer is not JSON: Hi It works!$/,
  },
  {
    name: "an error object with 200",
    reply: status(200, { error: "the index is rebuilt" }),
    log: /^no list in the answer: the index is rebuilt$/,
  },
  { name: "an empty list", reply: [], log: /^not in the answer$/ },
  {
    name: "a truncated body",
    reply: (response) => {
      response.writeHead(200, { "content-length": "5000" });
      response.write(HALF);
      setImmediate(() => response.destroy());
    },
    log: /connection (closed before the whole answer came|reset)/,
  },
  { name: "half of a JSON text", reply: status(200, HALF), log: /^the answer is not JSON/ },
  { name: "a record of nulls", reply: [NULLS], log: /is null/ },
  { name: "a list of nulls", reply: [null, null], log: /^not in the answer$/ },
  { name: "null", reply: status(200, "null"), log: /^no list in the answer/ },
  { name: "nothing", reply: status(200, ""), log: /^the answer is not JSON/ },
  { name: "50 MB", reply: (response) => void flood(response), log: /larger than 16 MB/ },
  {
    name: "50 MB that are announced",
    reply: (response) => {
      response.writeHead(200, { "content-length": "50000000" });
      response.write("[");
    },
    log: /larger than 16 MB/,
  },
  {
    name: "a 429",
    reply: status(429, { message: "slow down" }, { "retry-after": "1" }),
    log: /answered 429: slow down/,
  },
  {
    name: "a 401",
    reply: status(401, { message: "no such key" }),
    log: /^answered 401: no such key$/,
  },
  { name: "a 500", reply: status(500, { message: "boom" }), log: /^answered 500: boom$/ },
  { name: "silence", reply: () => {}, log: /^(out of time|timed out)/ },
  { name: "a reset", reply: (response) => response.destroy(), log: /connection/ },
  { name: "a negative TVL", reply: [poolRecord({ tvl_usd: -5 })], log: /^tvl_usd is negative$/ },
  { name: "no number", reply: [poolRecord({ tvl_usd: "NaN" })], log: /^tvl_usd is malformed$/ },
  {
    name: "an object that cannot become a number",
    reply: [poolRecord({ tvl_usd: { toString: 1, valueOf: 1 } })],
    log: /^tvl_usd is malformed$/,
  },
  {
    name: "a chain that cannot become a number",
    reply: [poolRecord({ chain_id: { toString: 1, valueOf: 1 } })],
    log: /^not in the answer$/,
  },
  {
    name: "another chain's record",
    reply: [poolRecord({ chain_id: 10, tvl_usd: 1 })],
    log: /^not in the answer$/,
  },
];

function fired(rule: string, pool: string): (one: Received) => boolean {
  return (one) =>
    toldBy(one) === "fired" &&
    firstLine(one).includes(pool) &&
    one.body.includes(`Rule\\n${rule}"`);
}

describe.concurrent("a service that answers for one chain with", () => {
  it.for(pass(CASES, "an HTML page with 200", "silence"))("$name", async ({ reply, log }, test) => {
    const { expect } = test;
    const { service, slack, place } = await makeWorld(test);
    answers(service, 1_000, 1_000);
    const daemon = place.runHere();
    // What is true at the first look fires at once, in one message with what is watched from now on.
    const { body } = await slack.first(tells("fired"));
    expect(body).toContain("Bad TVL $1,000, limit $500. Ethereum (high)");
    expect(body).toContain("Watching 2 subjects with 2 rules; new: low, high");

    // The other chain goes on, the log says what is wrong, and nobody is told of a fall to nothing.
    const asked = service.requests(2, isBad);
    answers(service, reply, 800);
    await slack.first(fired("low", "Good"));
    await daemon.logLine(
      ({ level, detail }) => level === "warn" && typeof detail === "string" && log.test(detail),
    );
    await asked;
    expect(slack.received.map(toldBy)).toEqual(["fired", "fired"]);

    // What the alerts of the pool knew before is what they go on from.
    answers(service, 1_000, 800);
    await service.requests(2, isBad);
    expect(slack.received).toHaveLength(2);
    answers(service, 400, 800);
    await slack.first(fired("low", "Bad"));
    await slack.first(tells("resolved"));
    expect(slack.received).toHaveLength(4);

    daemon.kill("SIGTERM");
    expect((await daemon.ended).code).toBe(0);
    expect(daemon.log().filter(({ level }) => level === "error")).toEqual([]);
  });
});
