import { resolve } from "node:path";
import { DAY, SECOND } from "../base/duration.ts";
import { Secret } from "../base/secret.ts";
import { kindOf } from "../base/settings.ts";
import type { ChannelKind } from "../channels/channel.ts";
import { errorAt, type Path, type Report, warningAt } from "../engine/language/finding.ts";
import type { ServiceConfig, Setup } from "../model.ts";
import { type ChannelsRead, readChannels } from "./channels.ts";
import {
  CONFIG,
  CONFIG_WORDS,
  DEFAULTS,
  DEFAULTS_WORDS,
  LOG,
  LOG_WORDS,
  SELF,
  SELF_WORDS,
  SERVICE,
  SERVICE_WORDS,
} from "./config-keys.ts";
import { readNotify } from "./notify-key.ts";
import type { RulesContext } from "./rule.ts";
import { Schedules } from "./schedules.ts";
import { isMap, readKeys } from "./shape.ts";

/** config.yaml as far as it can be read; what is wrong was reported. */
export interface Settings extends ChannelsRead {
  readonly service: ServiceConfig | null;
  readonly rules: readonly { readonly pattern: string; readonly path: Path }[];
  readonly setup: Pick<Setup, "store" | "retentionMs" | "selfNotify" | "logLevel">;
  readonly defaults: NonNullable<RulesContext["defaults"]>;
}

/**
 * Reads config.yaml, references expanded. `literal` is the same data before that. `folder` is where
 * the file lies: the database's path starts there.
 */
export function readSettings(
  root: unknown,
  literal: unknown,
  folder: string,
  kinds: ReadonlyMap<string, ChannelKind>,
  report: Report,
): Settings | null {
  const keys = readKeys(CONFIG, root, [], CONFIG_WORDS, report);
  if (keys === null || !isMap(root)) return null;
  const channels = readChannels(keys.channels, kinds, report);
  const self = "self" in keys ? readKeys(SELF, keys.self, ["self"], SELF_WORDS, report) : null;
  const log = "log" in keys ? readKeys(LOG, keys.log, ["log"], LOG_WORDS, report) : null;
  return {
    service: readService(keys.service, literal, report),
    rules: readPatterns(keys.rules, report),
    ...channels,
    defaults: readDefaults(keys.defaults, keys.timezone ?? "UTC", report),
    setup: {
      store: resolve(folder, keys.store ?? "tickwatch.db"),
      retentionMs: keys.retention ?? 90 * DAY,
      selfNotify: readNotify(self?.notify, ["self", "notify"], channels.names, report, "self"),
      logLevel: log?.level ?? "info",
    },
  };
}

function readService(raw: unknown, literal: unknown, report: Report): ServiceConfig | null {
  const path = ["service"];
  if (raw === undefined) {
    report(errorAt(path, "is missing", { expected: "service: with base_url and api_key" }));
    return null;
  }
  const keys = readKeys(SERVICE, raw, path, SERVICE_WORDS, report);
  if (keys === null || !isMap(raw)) return null;
  const { base_url: baseUrl, api_key: apiKey } = keys;
  for (const key of ["base_url", "api_key"]) {
    if (key in raw) continue;
    const expected = key === "api_key" ? `"\${env:TICKWATCH_API_KEY}"` : "the service's address";
    report(errorAt([...path, key], "is missing", { expected }));
  }
  if (baseUrl !== undefined) doubtAddress(baseUrl, [...path, "base_url"], report);
  const written = isMap(literal) && isMap(literal.service) ? literal.service.api_key : null;
  if (typeof written === "string" && !written.includes("${")) {
    report(
      warningAt([...path, "api_key"], "the key stands in the file itself", {
        expected: `"\${env:TICKWATCH_API_KEY}" or "\${file:PATH}"`,
      }),
    );
  }
  if (baseUrl === undefined || apiKey === undefined) return null;
  return {
    baseUrl,
    legacyBaseUrl: null,
    apiKey,
    timeoutMs: keys.timeout ?? 10 * SECOND,
    concurrency: keys.concurrency ?? 8,
    requestsPerSecond: keys.requests_per_second ?? 10,
  };
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

function doubtAddress(address: string, path: Path, report: Report): void {
  const { protocol, hostname, pathname } = new URL(address);
  if (protocol === "http:" && !LOOPBACK.test(hostname)) {
    report(
      warningAt(path, "the key travels in plain text over http", { expected: "an https address" }),
    );
  }
  if (pathname.endsWith("/v1")) {
    report(
      warningAt(path, "the address ends in /v1, which is added to it", { expected: "no /v1" }),
    );
  }
}

function readPatterns(raw: unknown, report: Report): Settings["rules"] {
  const expected = "a list of files such as [rules/*.yaml]";
  const items: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
  if (raw === undefined || items.length === 0) {
    report(errorAt(["rules"], raw === undefined ? "is missing" : "is empty", { expected }));
    return [];
  }
  return items.flatMap((item, i) => {
    const path: Path = Array.isArray(raw) ? ["rules", i] : ["rules"];
    const pattern = item instanceof Secret ? item.reveal() : item;
    if (typeof pattern === "string" && pattern !== "") return [{ pattern, path }];
    report(errorAt(path, item === null ? "has no value" : `is ${kindOf(item)}`, { expected }));
    return [];
  });
}

function readDefaults(raw: unknown, timezone: string, report: Report): Settings["defaults"] {
  const path = ["defaults"];
  const keys = raw === undefined ? {} : readKeys(DEFAULTS, raw, path, DEFAULTS_WORDS, report);
  const { schedule = "1m", severity = "warning" } = keys ?? {};
  const read = new Schedules().read(schedule, timezone);
  if ("next" in read) return { schedule, severity, timezone };
  report(errorAt([...path, "schedule"], `schedule ${read.message}`, read.hint));
  return { severity, timezone };
}
