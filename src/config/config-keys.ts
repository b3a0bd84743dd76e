import { z } from "zod";
import { HOUR, MINUTE, SECOND } from "../base/duration.ts";
import {
  durationMs,
  httpUrl,
  oneOf,
  plainText,
  secretText,
  wholeNumber,
} from "../base/settings.ts";
import { SEVERITIES, timezone } from "./rule-keys.ts";
import type { Words } from "./shape.ts";

/** What stands under each key of config.yaml, by itself. */
export const CONFIG = z
  .strictObject({
    service: z.unknown(),
    rules: z.unknown(),
    store: plainText("the path of a database file"),
    retention: durationMs(HOUR),
    timezone: timezone(),
    defaults: z.unknown(),
    channels: z.unknown(),
    self: z.unknown(),
    log: z.unknown(),
  })
  .partial();

export const CONFIG_WORDS: Words = {
  what: "the configuration",
  keys: Object.keys(CONFIG.shape),
  notBuilt: new Set(["routes", "mutes", "heartbeat", "web", "group_wait", "flapping"]),
};

export const SERVICE = z
  .strictObject({
    base_url: httpUrl(),
    api_key: secretText("the service's key, best as ${env:TICKWATCH_API_KEY}"),
    timeout: durationMs(SECOND, 5 * MINUTE),
    concurrency: wholeNumber(1, 64),
    requests_per_second: wholeNumber(1, 1_000),
  })
  .partial();

export const SERVICE_WORDS: Words = {
  what: "service",
  keys: Object.keys(SERVICE.shape),
  notBuilt: new Set(["legacy_base_url"]),
};

export const DEFAULTS = z
  .strictObject({
    schedule: plainText("a duration such as 1m or a cron expression"),
    severity: oneOf(SEVERITIES),
  })
  .partial();

export const DEFAULTS_WORDS: Words = { what: "defaults", keys: Object.keys(DEFAULTS.shape) };

export const SELF = z.strictObject({ notify: z.unknown() }).partial();

export const SELF_WORDS: Words = { what: "self", keys: Object.keys(SELF.shape) };

export const LOG = z
  .strictObject({
    level: oneOf(["trace", "debug", "info", "warn", "error", "fatal", "silent"]),
  })
  .partial();

export const LOG_WORDS: Words = { what: "log", keys: Object.keys(LOG.shape) };
