import { describe, expect, it } from "vitest";
import { ENDPOINTS, ENDPOINTS_OF, type EndpointName } from "../../src/api/endpoints.ts";
import { cleanText, Secret } from "../../src/base/text.ts";
import { createHttpSource } from "../../src/fetch/http.ts";
import type { Request, Source } from "../../src/fetch/source.ts";
import { type Answer, RECORDS } from "../../src/model/index.ts";
import { WHOLE } from "../support/tier.ts";
import { askFor } from "./asks.ts";
import { faultServer, json } from "./fault-server.ts";
import { FAULTS, type Fault } from "./faults.ts";
import { goodAnswer } from "./good-answer.ts";

const KEY = "twk_S3cret-Key+42/&?";
/** The time limit of a request, and how long one is waited for that is answered. */
const [LIMIT_MS, PATIENCE_MS] = [400, 120_000];
/** The short pass asks every fourth endpoint with a fault, and others with the next one. */
const SHARE = WHOLE ? 1 : 4;
/** What a notice, a log or the database could be given. */
const told: string[] = [];

/** The endpoints that two others stand beside. */
const SHARED = RECORDS.filter((record) => ENDPOINTS_OF[record].length > 1);

interface Outcome {
  readonly endpoint: EndpointName;
  readonly answers: readonly Answer[];
  /** The same again in another round, with a service in good order. */
  readonly after: readonly Answer[];
}

/** Every endpoint's answer to one fault, each asked by a source of its own round. */
async function outcomesOf(fault: Fault): Promise<Outcome[]> {
  const planned: Request[] = [];
  let good = false;
  const server = await faultServer((incoming, response) => {
    const path = (incoming.url ?? "").replace(/[?&]apikey=[^&]*$/, "");
    const request = planned.find((one) => one.path === path);
    if (request === undefined) throw new Error(`${path} was not planned`);
    if (good) json(response, goodAnswer(request));
    else fault.answer(request, response, incoming);
  });
  const sourceAt = (baseUrl: string | null): Source =>
    createHttpSource({
      baseUrl,
      legacyBaseUrl: server.url,
      rpc: {},
      apiKey: new Secret(KEY),
      timeoutMs: LIMIT_MS,
      // Only what never comes is given up soon: a busy machine may be long about the rest.
      after: (_, wake) => {
        const isSoon = fault.expected === "timeout" && !good;
        const timer = setTimeout(wake, isSoon ? LIMIT_MS : PATIENCE_MS);
        return () => clearTimeout(timer);
      },
      concurrency: 64,
      requestsPerSecond: 10_000,
      retryMs: 1,
      log: (message, fields) => void told.push(`${message} ${JSON.stringify(fields)}`),
    });
  const [both, earlier] = [sourceAt(server.url), sourceAt(null)];
  const rounds = [
    { source: both, records: RECORDS },
    { source: earlier, records: SHARED },
  ]
    .flatMap(({ source, records }) =>
      source.plan(records.map((record) => askFor(record))).map((request) => ({ source, request })),
    )
    .filter((_, i) => (i + FAULTS.indexOf(fault)) % SHARE === 0);
  planned.push(...rounds.map(({ request }) => request));
  const ask = (): Promise<(readonly Answer[])[]> =>
    Promise.all(
      rounds.map(({ source, request }) => source.fetch(request, new AbortController().signal)),
    );
  const during = await ask();
  good = true;
  const after = await ask();
  await Promise.all([both.close(), earlier.close()]);
  await server.close();
  return rounds.map(({ request: { endpoint } }, i) => ({
    endpoint,
    answers: during[i] ?? [],
    after: after[i] ?? [],
  }));
}

function kindOf(answers: readonly Answer[]): string {
  const [answer] = answers;
  if (answers.length !== 1 || answer === undefined) return `${answers.length} answers`;
  if (answer.status !== "failed") return answer.status;
  told.push(answer.failure.detail);
  return answer.failure.reason;
}

describe("every endpoint of every record", () => {
  it.each(FAULTS.map((fault) => [fault.name, fault] as const))(
    "that answers with %s gives an answer or a failure of the right kind",
    async (_, fault) => {
      const outcomes = await outcomesOf(fault);
      // All but the one that verifies the key.
      const all = Object.keys(ENDPOINTS).length - 1;
      const asked = new Set(outcomes.map(({ endpoint }) => endpoint));
      expect(asked.size).toBeGreaterThanOrEqual(Math.floor(all / SHARE));
      const kinds = outcomes.map(({ endpoint, answers }) => [endpoint, kindOf(answers)]);
      const expected = outcomes.map(({ endpoint, answers }) => {
        const one =
          typeof fault.expected === "function" ? fault.expected(endpoint) : fault.expected;
        const got = kindOf(answers);
        return [endpoint, one === "ok or absent" && /^(ok|absent)$/.test(got) ? got : one];
      });
      expect(kinds).toEqual(expected);
      // Some faults are worth staying away for; what is asked is answered.
      for (const { after } of outcomes) {
        expect(kindOf(after)).toMatch(/^(?:ok|unauthorized|rate_limited)$/);
      }
    },
  );

  it("was told of in clean text without key and address", () => {
    expect(told.length).toBeGreaterThan(600 / SHARE);
    for (const text of told) {
      expect(text.toLowerCase()).not.toContain("s3cret");
      expect(text).not.toContain("127.0.0.1");
      expect(cleanText(text, 3_000)).toBe(text);
    }
  });
});
