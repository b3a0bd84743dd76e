import { SECOND } from "../../base/duration.ts";
import { isMap } from "../../base/json.ts";
import { isLoopback } from "../../base/network.ts";
import { Secret } from "../../base/text.ts";
import type { ServiceConfig } from "../../model/index.ts";
import { errorAt, errorAtKey, type Path, type Report, warningAt } from "../../rules/finding.ts";
import { readKeys } from "../files/shape.ts";
import { type Addresses, checkPort } from "./addresses.ts";
import { SERVICE } from "./config-keys.ts";
import { readRpc } from "./rpc-keys.ts";

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
 * configuration before that. The paths in it start at `folder`.
 */
export function readService(
  raw: unknown,
  literal: unknown,
  folder: string,
  report: Report,
): ServiceRead {
  const path = ["service"];
  if (raw === undefined) {
    report(
      errorAt("missing-key", path, "is missing", "service: with base_url and api_key, or with rpc"),
    );
    return { service: null, hasTimeout: false, addresses: BOTH };
  }
  const keys = readKeys(SERVICE, raw, path, "service", report);
  if (keys === null || !isMap(raw)) return { service: null, hasTimeout: false, addresses: BOTH };
  if ("rpc" in raw) return readNodes(raw, literal, keys.timeout, folder, report);
  const { base_url: baseUrl = null, legacy_base_url: legacyBaseUrl = null, api_key: apiKey } = keys;
  const given = [...BOTH].filter((key) => key in raw);
  if (given.length === 0) {
    const expected =
      "the service's address, here, as legacy_base_url, or as both; or rpc: with your nodes";
    report(errorAt("missing-key", [...path, "base_url"], "is missing", expected));
  }
  if (!("api_key" in raw)) {
    const expected = `"\${env:TICKWATCH_API_KEY}"`;
    report(errorAt("missing-key", [...path, "api_key"], "is missing", expected));
  }
  if (baseUrl !== null) lintAddress(baseUrl, [...path, "base_url"], "/v1", report);
  if (legacyBaseUrl !== null) {
    lintAddress(legacyBaseUrl, [...path, "legacy_base_url"], "/api", report);
  }
  const written = isMap(literal) && isMap(literal.service) ? literal.service.api_key : null;
  const near = [baseUrl, legacyBaseUrl].every(
    (url) => url === null || isLoopback(new URL(url).hostname),
  );
  // The key of a simulator on this machine is no secret.
  if (typeof written === "string" && !written.includes("${") && !near) {
    report(
      warningAt(
        "secret-in-file",
        [...path, "api_key"],
        "the file itself holds the API key",
        `"\${env:TICKWATCH_API_KEY}" or "\${file:PATH}"`,
      ),
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

const WITH_NODES: Addresses = new Set(["base_url", "legacy_base_url", "rpc"]);

/** EVM nodes in place of a service: the daemon answers itself, at an address that it chooses when it starts. */
function readNodes(
  raw: Readonly<Record<string, unknown>>,
  literal: unknown,
  timeout: number | undefined,
  folder: string,
  report: Report,
): ServiceRead {
  for (const key of ["base_url", "legacy_base_url", "api_key"]) {
    if (!(key in raw)) continue;
    const message = `rpc takes the place of ${key}`;
    report(errorAtKey("key-conflict", ["service", key], message, "one of them"));
  }
  const written = isMap(literal) && isMap(literal.service) ? literal.service.rpc : undefined;
  const rpc = readRpc(raw.rpc, written, folder, report);
  const service =
    rpc === null
      ? null
      : {
          rpc,
          baseUrl: null,
          legacyBaseUrl: null,
          apiKey: new Secret(""),
          timeoutMs: timeout ?? 10 * SECOND,
          // The service is in this very process, and keeps to the nodes' rates itself.
          concurrency: 32,
          requestsPerSecond: 1_000,
        };
  return { service, hasTimeout: timeout !== undefined, addresses: WITH_NODES };
}

/** `added`: where the paths that follow the address begin, and which it is easily given with. */
function lintAddress(address: string, path: Path, added: "/v1" | "/api", report: Report): void {
  const { protocol, hostname, pathname } = new URL(address);
  if (protocol === "http:" && !isLoopback(hostname)) {
    report(
      warningAt(
        "plain-http",
        path,
        "the API key would travel unencrypted over http",
        "an https address",
      ),
    );
  }
  checkPort(address, "plain", path, report);
  if (pathname.endsWith(added)) {
    report(
      warningAt(
        "bad-url",
        path,
        `the address ends in ${added}, which is added anyway`,
        `no ${added}`,
      ),
    );
  }
}
