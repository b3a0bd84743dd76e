import { resolve } from "node:path";
import { DAY, MINUTE, SECOND } from "../base/duration.ts";
import { Secret } from "../base/secret.ts";
import { kindOf } from "../base/settings.ts";
import type { ChannelKind } from "../channels/channel.ts";
import { errorAt, type Path, type Report } from "../engine/language/finding.ts";
import type { FlappingLimits, Setup } from "../model.ts";
import { type ChannelsRead, readChannels } from "./channels.ts";
import {
  CONFIG,
  CONFIG_WORDS,
  DEFAULTS,
  DEFAULTS_WORDS,
  FLAPPING,
  FLAPPING_WORDS,
  HEARTBEAT,
  HEARTBEAT_WORDS,
  LOG,
  LOG_WORDS,
  SELF,
  SELF_WORDS,
} from "./config-keys.ts";
import { readNotify } from "./notify-key.ts";
import { FLAPPING_LIMITS, type RulesContext } from "./rule.ts";
import { doubtDays } from "./rule-doubts.ts";
import { Schedules } from "./schedules.ts";
import { readService, type ServiceRead } from "./service-keys.ts";
import { isMap, readKeys } from "./shape.ts";
import { readWeb } from "./web-key.ts";

/** config.yaml as far as it can be read; what is wrong was reported. */
export interface Settings extends ChannelsRead, ServiceRead {
  readonly rules: readonly { readonly pattern: string; readonly path: Path }[];
  readonly setup: Pick<
    Setup,
    "store" | "retentionMs" | "groupWaitMs" | "heartbeat" | "web" | "selfNotify" | "logLevel"
  >;
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
    ...readService(keys.service, literal, report),
    rules: readPatterns(keys.rules, report),
    ...channels,
    defaults: {
      ...readDefaults(keys.defaults, keys.timezone ?? "UTC", report),
      flapping: readFlapping(keys.flapping, report),
    },
    setup: {
      store: resolve(folder, keys.store ?? "tickwatch.db"),
      retentionMs: keys.retention ?? 90 * DAY,
      groupWaitMs: keys.group_wait ?? 5 * SECOND,
      heartbeat: readHeartbeat(keys.heartbeat, report),
      web: readWeb(keys.web, isMap(literal) ? literal.web : undefined, report),
      selfNotify: readNotify(self?.notify, ["self", "notify"], channels.names, report, "self"),
      logLevel: log?.level ?? "info",
    },
  };
}

function readHeartbeat(raw: unknown, report: Report): Setup["heartbeat"] {
  if (raw === undefined) return null;
  const keys = readKeys(HEARTBEAT, raw, ["heartbeat"], HEARTBEAT_WORDS, report);
  if (keys === null) return null;
  if (keys.url === undefined) {
    if (isMap(raw) && !("url" in raw)) {
      report(errorAt(["heartbeat", "url"], "is missing", { expected: "the monitor's address" }));
    }
    return null;
  }
  return { url: keys.url, everyMs: keys.every ?? MINUTE };
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

function readFlapping(raw: unknown, report: Report): FlappingLimits {
  const path = ["flapping"];
  const keys = raw === undefined ? {} : readKeys(FLAPPING, raw, path, FLAPPING_WORDS, report);
  const { more_than: moreThan = FLAPPING_LIMITS.moreThan, within } = keys ?? {};
  return { moreThan, withinMs: within ?? FLAPPING_LIMITS.withinMs };
}

function readDefaults(raw: unknown, timezone: string, report: Report): Settings["defaults"] {
  const path = ["defaults"];
  const keys = raw === undefined ? {} : readKeys(DEFAULTS, raw, path, DEFAULTS_WORDS, report);
  const { schedule = "1m", severity = "warning" } = keys ?? {};
  const read = new Schedules().read(schedule, timezone);
  if ("next" in read) {
    doubtDays(schedule, [...path, "schedule"], report);
    return { schedule, severity, timezone };
  }
  report(errorAt([...path, "schedule"], `schedule ${read.message}`, read.hint));
  return { severity, timezone };
}
