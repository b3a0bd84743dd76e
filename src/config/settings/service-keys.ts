import { z } from "zod";
import { SECOND } from "../../base/duration.ts";
import { isMap } from "../../base/json.ts";
import { isLoopback } from "../../base/network.ts";
import { Secret } from "../../base/secret.ts";
import { plainText, refuse, secretText } from "../../base/settings.ts";
import { formTrouble } from "../../base/slips.ts";
import { cleanText } from "../../base/text.ts";
import type { ServiceConfig, WebConfig } from "../../model/index.ts";
import { errorAt, type Path, type Report, warningAt } from "../../rules/finding.ts";
import { readKeys, type Words } from "../files/shape.ts";
import type { Addresses } from "./addresses.ts";
import { checkPort } from "./addresses.ts";
import { SERVICE, SERVICE_WORDS } from "./config-keys.ts";

/** What `service` says, as far as it can be read. */
export interface ServiceRead {
  readonly service: ServiceConfig | null;
  /** False: its time limit is the default. */
  readonly hasTimeout: boolean;
  /** The addresses that are given, right or wrong; both where that cannot be known. */
  readonly addresses: Addresses;
}

const BOTH: Addresses = new Set(["base_url", "legacy_base_url"]);

/**
 * Reads `service`, references expanded; everything that is wrong is reported. `literal` is the whole
 * configuration before that.
 */
export function readService(raw: unknown, literal: unknown, report: Report): ServiceRead {
  const path = ["service"];
  if (raw === undefined) {
    report(
      errorAt("missing-key", path, "is missing", {
        expected: "service: with base_url and api_key",
      }),
    );
    return { service: null, hasTimeout: false, addresses: BOTH };
  }
  const keys = readKeys(SERVICE, raw, path, SERVICE_WORDS, report);
  if (keys === null || !isMap(raw)) return { service: null, hasTimeout: false, addresses: BOTH };
  const { base_url: baseUrl = null, legacy_base_url: legacyBaseUrl = null, api_key: apiKey } = keys;
  const given = [...BOTH].filter((key) => key in raw);
  if (given.length === 0) {
    const expected = "the service's address, here, as legacy_base_url, or as both";
    report(errorAt("missing-key", [...path, "base_url"], "is missing", { expected }));
  }
  if (!("api_key" in raw)) {
    const expected = `"\${env:TICKWATCH_API_KEY}"`;
    report(errorAt("missing-key", [...path, "api_key"], "is missing", { expected }));
  }
  if (baseUrl !== null) doubtAddress(baseUrl, [...path, "base_url"], "/v1", report);
  if (legacyBaseUrl !== null) {
    doubtAddress(legacyBaseUrl, [...path, "legacy_base_url"], "/api", report);
  }
  const written = isMap(literal) && isMap(literal.service) ? literal.service.api_key : null;
  const near = [baseUrl, legacyBaseUrl].every(
    (url) => url === null || isLoopback(new URL(url).hostname),
  );
  // The key of a simulator on this machine is no secret.
  if (typeof written === "string" && !written.includes("${") && !near) {
    report(
      warningAt("secret-in-file", [...path, "api_key"], "the file itself holds the API key", {
        expected: `"\${env:TICKWATCH_API_KEY}" or "\${file:PATH}"`,
      }),
    );
  }
  const addresses: Addresses = given.length === 0 ? BOTH : new Set(given);
  if ((baseUrl ?? legacyBaseUrl) === null || apiKey === undefined) {
    return { service: null, hasTimeout: false, addresses };
  }
  const service = {
    baseUrl,
    legacyBaseUrl,
    apiKey,
    timeoutMs: keys.timeout ?? 10 * SECOND,
    concurrency: keys.concurrency ?? 8,
    requestsPerSecond: keys.requests_per_second ?? 10,
  };
  return { service, hasTimeout: keys.timeout !== undefined, addresses };
}

/** `added`: where the paths that follow the address begin, and which it is easily given with. */
function doubtAddress(address: string, path: Path, added: "/v1" | "/api", report: Report): void {
  const { protocol, hostname, pathname } = new URL(address);
  if (protocol === "http:" && !isLoopback(hostname)) {
    report(
      warningAt("plain-http", path, "the API key would travel unencrypted over http", {
        expected: "an https address",
      }),
    );
  }
  checkPort(address, "plain", path, report);
  if (pathname.endsWith(added)) {
    report(
      warningAt("bad-url", path, `the address ends in ${added}, which is added anyway`, {
        expected: `no ${added}`,
      }),
    );
  }
}

const PATH: Path = ["web"];
const EXAMPLE = "127.0.0.1:9464";
/** Whoever can try a thousand tokens a second must not come to it within a life. */
const SHORTEST_TOKEN = 16;

const HOST_AND_PORT =
  /^(?:\[(?<six>[0-9a-f:.]+)\]|(?<host>[a-z0-9][a-z0-9.-]*)):(?<port>\d{1,5})$/i;
const NAME = /^(?:\[[0-9a-f:.]+\]|[a-z0-9][a-z0-9.-]{0,252})$/i;

/** What stands under each key of `web`, by itself. */
export const WEB = z
  .strictObject({
    listen: plainText(`an address and a port such as ${EXAMPLE}`).transform((text, context) => {
      const groups = HOST_AND_PORT.exec(text)?.groups;
      const port = Number(groups?.port);
      const host = groups?.six ?? groups?.host;
      if (host !== undefined && port <= 65_535) return { host: host.toLowerCase(), port };
      const shown = cleanText(text, 60);
      return refuse(context, "bad-host", `"${shown}" is not an address with a port`, {
        expected: `such as ${EXAMPLE} or "[::1]:9464"`,
        ...(/^:?\d{1,5}$/.test(text) ? { suggestion: `127.0.0.1:${text.replace(":", "")}` } : {}),
      });
    }),
    token: secretText("a text that those who ask must send").superRefine((token, context) => {
      const text = token.reveal();
      const short = text.length < SHORTEST_TOKEN ? "the value is too short" : null;
      const why = formTrouble(text, /^[\x21-\x7e]$/) ?? short;
      if (why !== null) {
        refuse(context, "bad-setting", why, {
          expected: `${SHORTEST_TOKEN} letters, digits and signs at least`,
        });
      }
    }),
    hosts: z.unknown(),
  })
  .partial();

const WORDS: Words = { what: "web", keys: Object.keys(WEB.shape) };

/** Reads `web`; `literal` is the same before references were expanded. */
export function readWeb(raw: unknown, literal: unknown, report: Report): WebConfig | null {
  if (raw === undefined) return null;
  const keys = readKeys(WEB, raw, PATH, WORDS, report);
  if (keys === null || !isMap(raw)) return null;
  const hosts = readHosts(keys.hosts, report);
  if (isMap(literal) && typeof literal.token === "string" && !literal.token.startsWith("${")) {
    const hint = { expected: '"${env:NAME}" or "${file:PATH}"' };
    report(warningAt("secret-in-file", [...PATH, "token"], "the file itself holds a secret", hint));
  }
  if (keys.listen === undefined) {
    if (!("listen" in raw)) {
      report(
        errorAt("missing-key", [...PATH, "listen"], "is missing", {
          expected: `listen: ${EXAMPLE}`,
        }),
      );
    }
    return null;
  }
  if (!isLoopback(keys.listen.host) && !("token" in raw)) {
    const message = "listen is reachable from other machines, which needs a token";
    const hint = { expected: '`token: "${env:TICKWATCH_WEB_TOKEN}"` beside it' };
    report(errorAt("needs-token", [...PATH, "listen"], message, hint));
  }
  return { ...keys.listen, token: keys.token ?? null, hosts };
}

function readHosts(raw: unknown, report: Report): readonly string[] {
  if (raw === undefined) return [];
  const expected = "a list of names such as [tickwatch.internal]";
  if (!Array.isArray(raw)) {
    report(errorAt("wrong-type", [...PATH, "hosts"], "is not a list", { expected }));
    return [];
  }
  return raw.flatMap((item: unknown, i) => {
    const name = item instanceof Secret ? item.reveal() : item;
    if (typeof name === "string" && NAME.test(name)) return [name.toLowerCase()];
    const hint = { expected: "a name without a port, such as tickwatch.internal" };
    report(errorAt("bad-host", [...PATH, "hosts", i], "is not a host name", hint));
    return [];
  });
}
