import { z } from "zod";
import { DAY, HOUR, MINUTE, SECOND } from "../../base/duration.ts";
import {
  durationMs,
  headerText,
  httpUrl,
  oneOf,
  plainText,
  refuse,
  secretText,
  wholeNumber,
} from "../../base/settings.ts";
import { addressTrouble } from "../../base/slips.ts";
import { SEVERITIES, timezone } from "../rules/rule-keys.ts";
import { SCHEDULE_EXPECTED } from "../rules/schedules.ts";

const KEY_EXPECTED = "the service's key, best as ${env:TICKWATCH_API_KEY}";

/** What was copied with a key and is no part of it. */
function keySlip(key: string): string | null {
  if (/^(["'`]).+\1$/s.test(key)) return "the key has quotes of its own";
  return /^bearer\s/i.test(key) ? "the key begins with Bearer, which is not a part of it" : null;
}

/** What stands under each key of config.yaml, by itself. */
export const CONFIG = z
  .strictObject({
    service: z.unknown(),
    rules: z.unknown(),
    store: secretText("the path of a database file, or a PostgreSQL URL"),
    cluster: z.unknown(),
    retention: durationMs(HOUR),
    timezone: timezone(),
    defaults: z.unknown(),
    flapping: z.unknown(),
    channels: z.unknown(),
    routes: z.unknown(),
    mutes: z.unknown(),
    self: z.unknown(),
    group_wait: durationMs(0, HOUR),
    heartbeat: z.unknown(),
    reports: z.unknown(),
    web: z.unknown(),
    log: z.unknown(),
    reload: oneOf(["auto", "signal"]),
  })
  .partial();

export const SERVICE = z
  .strictObject({
    base_url: httpUrl(),
    legacy_base_url: httpUrl(),
    api_key: headerText(KEY_EXPECTED).superRefine((key, context) => {
      const slip = keySlip(key.reveal());
      if (slip !== null) refuse(context, "bad-setting", slip, "the key alone");
    }),
    timeout: durationMs(SECOND, 5 * MINUTE),
    concurrency: wholeNumber(1, 64),
    requests_per_second: wholeNumber(1, 1_000),
    rpc: z.unknown(),
  })
  .partial();

export const DEFAULTS = z
  .strictObject({
    schedule: plainText(SCHEDULE_EXPECTED),
    severity: oneOf(SEVERITIES),
  })
  .partial();

export const FLAPPING = z
  .strictObject({
    more_than: wholeNumber(1, 100),
    within: durationMs(MINUTE, DAY),
  })
  .partial();

export const SELF = z.strictObject({ notify: z.unknown() }).partial();

export const HEARTBEAT = z
  .strictObject({
    url: secretText("the monitor's address").superRefine((url, context) => {
      const text = url.reveal();
      const unseen = addressTrouble(text);
      if (unseen !== null) refuse(context, "strange-character", unseen, "the monitor's address");
      else if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
        refuse(
          context,
          "bad-url",
          "the value is not an http or https address",
          "the monitor's address",
        );
      } else if (new URL(text).username !== "" || new URL(text).password !== "") {
        refuse(
          context,
          "bad-url",
          "the address holds a user name or password, which is not sent",
          "the monitor's address",
        );
      }
    }),
    every: durationMs(10 * SECOND, DAY),
  })
  .partial();

export const LOG = z
  .strictObject({
    level: oneOf(["trace", "debug", "info", "warn", "error", "fatal", "silent"]),
  })
  .partial();
