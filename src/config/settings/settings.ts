import { DAY, MINUTE, SECOND } from "../../base/duration.ts";
import { Secret } from "../../base/secret.ts";
import { kindOf } from "../../base/settings.ts";
import type { ChannelKind } from "../../channels/channel.ts";
import type { WatchKind } from "../../kinds/kind.ts";
import type { Setup } from "../../model/index.ts";
import { errorAt, type Path, type Report } from "../../rules/finding.ts";
import { isMap, readKeys } from "../files/shape.ts";
import { checkPort } from "../ports.ts";
import { readNotify } from "../routes/notify-key.ts";
import { readRouting } from "../routes/route-keys.ts";
import type { Routing } from "../routes/routing.ts";
import { type ChannelsRead, readChannels } from "./channels.ts";
import {
  CONFIG,
  CONFIG_WORDS,
  HEARTBEAT,
  HEARTBEAT_WORDS,
  LOG,
  LOG_WORDS,
  SELF,
  SELF_WORDS,
} from "./config-keys.ts";
import { type Defaults, readAllDefaults } from "./defaults-key.ts";
import { storePath } from "./load-store.ts";
import { readService, type ServiceRead } from "./service-keys.ts";
import { readWeb } from "./web-key.ts";

/** config.yaml as far as it can be read; what is wrong was reported. */
export interface Settings extends ChannelsRead, ServiceRead {
  readonly rules: readonly { readonly pattern: string; readonly path: Path }[];
  readonly setup: Pick<
    Setup,
    "store" | "retentionMs" | "groupWaitMs" | "heartbeat" | "web" | "selfNotify" | "logLevel"
  >;
  readonly routing: Routing;
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
  const keys = readKeys(CONFIG, root, [], CONFIG_WORDS, report);
  if (keys === null || !isMap(root)) return null;
  const channels = readChannels(keys.channels, keys.timezone, kinds, report);
  const offered = [...watches.values()].flatMap(({ kind, variantOf }) =>
    variantOf === undefined ? [kind] : [],
  );
  const self = "self" in keys ? readKeys(SELF, keys.self, ["self"], SELF_WORDS, report) : null;
  const log = "log" in keys ? readKeys(LOG, keys.log, ["log"], LOG_WORDS, report) : null;
  return {
    ...readService(keys.service, literal, report),
    rules: readPatterns(keys.rules, report),
    ...channels,
    routing: readRouting(
      keys.routes,
      keys.mutes,
      { channels: channels.names, kinds: offered, timezone: keys.timezone ?? "UTC" },
      report,
    ),
    defaults: readAllDefaults(keys.defaults, keys.flapping, keys.timezone ?? "UTC", report),
    setup: {
      store: storePath(folder, keys.store),
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
  checkPort(keys.url.reveal(), "fetch", ["heartbeat", "url"], report);
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
