import { DAY, MINUTE, SECOND, writtenDuration } from "../../base/duration.ts";
import { isMap } from "../../base/json.ts";
import { Secret } from "../../base/text.ts";
import type { ChannelKind } from "../../channels/channel.ts";
import type { WatchKind } from "../../kinds/kind.ts";
import type { Rule, ServiceConfig, Setup } from "../../model/index.ts";
import {
  errorAt,
  itemsAt,
  type Path,
  type Report,
  warningAt,
  wrongType,
} from "../../rules/finding.ts";
import { readKeys } from "../files/shape.ts";
import { readNotify, readRouting } from "../routes/route-keys.ts";
import type { Routing } from "../routes/routing.ts";
import { checkPort } from "./addresses.ts";
import { type ChannelsRead, readChannels } from "./channels.ts";
import { lintShared, readCluster } from "./cluster-keys.ts";
import { CONFIG, HEARTBEAT, LOG, SELF } from "./config-keys.ts";
import { type Defaults, readAllDefaults } from "./defaults-key.ts";
import { type ReportKeys, readReports } from "./report-keys.ts";
import { readService, type ServiceRead } from "./service-keys.ts";
import { lintStore, readStore } from "./store-key.ts";
import { readWeb } from "./web-keys.ts";

/** config.yaml as far as it can be read; what is wrong was reported. */
export interface Settings extends ChannelsRead, ServiceRead {
  readonly rules: readonly { readonly pattern: string; readonly path: Path }[];
  readonly setup: Pick<
    Setup,
    | "store"
    | "cluster"
    | "retentionMs"
    | "groupWaitMs"
    | "heartbeat"
    | "web"
    | "selfNotify"
    | "logLevel"
    | "reload"
  >;
  readonly routing: Routing;
  readonly reports: readonly ReportKeys[];
  readonly defaults: Defaults;
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
  watches: ReadonlyMap<string, WatchKind>,
  report: Report,
): Settings | null {
  const keys = readKeys(CONFIG, root, [], "the configuration", report);
  if (keys === null || !isMap(root)) return null;
  const channels = readChannels(keys.channels, keys.timezone, kinds, report);
  const offered = new Map([...watches].filter(([, { variantOf }]) => variantOf === undefined));
  const self = "self" in keys ? readKeys(SELF, keys.self, ["self"], "self", report) : null;
  const log = "log" in keys ? readKeys(LOG, keys.log, ["log"], "log", report) : null;
  const store = readStore(keys.store, folder, report);
  lintStore(store, isMap(literal) ? literal.store : undefined, report);
  const service = readService(keys.service, literal, folder, report);
  const cluster = readCluster(keys.cluster, store, report);
  lintShared(cluster, service.service, report);
  return {
    ...service,
    rules: readPatterns(keys.rules, report),
    ...channels,
    routing: readRouting(
      keys.routes,
      keys.mutes,
      { channels: channels.names, kinds: offered, timezone: keys.timezone ?? "UTC" },
      report,
    ),
    reports: readReports(
      keys.reports,
      { channels: channels.channels, timezone: keys.timezone ?? "UTC" },
      report,
    ),
    defaults: readAllDefaults(keys.defaults, keys.flapping, keys.timezone ?? "UTC", report),
    setup: {
      store,
      cluster,
      retentionMs: keys.retention ?? 90 * DAY,
      groupWaitMs: keys.group_wait ?? 5 * SECOND,
      heartbeat: readHeartbeat(keys.heartbeat, report),
      web: readWeb(keys.web, isMap(literal) ? literal.web : undefined, report),
      selfNotify: readNotify(self?.notify, ["self", "notify"], channels.names, report, "self"),
      logLevel: log?.level ?? "info",
      reload: keys.reload ?? "auto",
    },
  };
}

function readHeartbeat(raw: unknown, report: Report): Setup["heartbeat"] {
  if (raw === undefined) return null;
  const keys = readKeys(HEARTBEAT, raw, ["heartbeat"], "heartbeat", report);
  if (keys === null) return null;
  if (keys.url === undefined) {
    if (isMap(raw) && !("url" in raw)) {
      report(errorAt("missing-key", ["heartbeat", "url"], "is missing", "the monitor's address"));
    }
    return null;
  }
  checkPort(keys.url.reveal(), "fetch", ["heartbeat", "url"], report);
  return { url: keys.url, everyMs: keys.every ?? MINUTE };
}

function readPatterns(raw: unknown, report: Report): Settings["rules"] {
  const expected = "a list of files such as [rules/*.yaml]";
  const items = itemsAt(raw, ["rules"]);
  if (raw === undefined || items.length === 0) {
    report(
      errorAt("missing-key", ["rules"], raw === undefined ? "is missing" : "is empty", expected),
    );
    return [];
  }
  return items.flatMap(({ item, at: path }) => {
    const pattern = item instanceof Secret ? item.reveal() : item;
    if (typeof pattern === "string" && pattern !== "") return [{ pattern, path }];
    report(wrongType(path, item, expected));
    return [];
  });
}

/** Of the shortest schedule, so that a request that hangs is over before the next round is due. */
const SHARE = 2 / 3;
/** However short the schedule, a service has so long for its answer. */
const LEAST_MS = 2 * SECOND;
const TENTH_MS = SECOND / 10;

/**
 * The service with the time limit of its requests: the one that is `given`, and doubted if a request that
 * hangs would hold up the rounds of a rule; else the default, less where schedules are short.
 */
export function withTimeout(
  service: ServiceConfig,
  given: boolean,
  rules: readonly Rule[],
  report: Report,
): ServiceConfig {
  const shortest = rules.reduce(
    (least, { schedule }) => Math.min(least, schedule.everyMs ?? least),
    Number.POSITIVE_INFINITY,
  );
  const { timeoutMs } = service;
  if (!given) {
    // People read it: `timed out after 6.6 s`.
    const tenths = Math.floor((shortest * SHARE) / TENTH_MS) * TENTH_MS;
    const fitting = Math.max(LEAST_MS, tenths);
    return { ...service, timeoutMs: Math.min(timeoutMs, fitting) };
  }
  if (timeoutMs > LEAST_MS && timeoutMs >= shortest) {
    const every = writtenDuration(shortest);
    const message = `a rule has the schedule ${every}: requests that hang for ${writtenDuration(timeoutMs)} hold up its rounds`;
    const expected = `less than ${every}, or no timeout: then it is by the shortest schedule`;
    report(warningAt("timeout-too-long", ["service", "timeout"], message, expected));
  }
  return service;
}
