import { createHash } from "node:crypto";
import { Secret } from "../../base/text.ts";
import type { Setup } from "../../model/index.ts";

/** By the key of a configuration: some bits of a hash of what it says. */
export type Fingerprints = Readonly<Record<string, string>>;

/**
 * So few that they tell whether a secret is another one (but for one time in 65,536), and hardly anything
 * of what it is, to who can read the database.
 */
const HEX_DIGITS = 4;

/** What each daemon of a cluster has for itself: another one compares its files with them as well. */
const OWN_KEYS: ReadonlySet<string> = new Set(["cluster", "web", "log.level"]);

/** Of everything that a configuration says beside its rules; `salt` makes those of two databases differ. */
export function fingerprintsOf(setup: Setup, salt: string): Fingerprints {
  const { service, web, heartbeat, channels, rules } = setup;
  const parts: [key: string, value: unknown][] = [
    ["service.base_url", service.baseUrl],
    ["service.legacy_base_url", service.legacyBaseUrl],
    ["service.api_key", service.apiKey],
    ["service.timeout", service.timeoutMs],
    ["service.concurrency", service.concurrency],
    ["service.requests_per_second", service.requestsPerSecond],
    ["store", setup.store],
    ["cluster", setup.cluster],
    ["retention", setup.retentionMs],
    ["group_wait", setup.groupWaitMs],
    ["heartbeat", heartbeat],
    ["web", web],
    ["self.notify", setup.selfNotify],
    ["reports", reportsOf(setup)],
    ["log.level", setup.logLevel],
    ["reload", setup.reload],
    ["flapping", [...new Set(rules.map(({ flapping }) => textOf(flapping)))]],
    ["mutes", rules.flatMap(({ name, mutes }) => (mutes.size === 0 ? [] : [[name, mutes]]))],
  ];
  for (const { name, kind, timezone, settings } of channels) {
    const all = typeof settings === "object" && settings !== null ? Object.entries(settings) : [];
    for (const [key, value] of [["kind", kind], ["timezone", timezone], ...all]) {
      parts.push([`channels.${name}.${key}`, value]);
    }
  }
  return Object.fromEntries(
    parts
      .filter(([, value]) => value !== undefined && value !== null)
      .filter(([key]) => setup.cluster === null || !OWN_KEYS.has(key))
      .map(([key, value]) => [key, shortHash(`${salt}\n${key}\n${textOf(value)}`)]),
  );
}

/** None: as it was before there were any. */
function reportsOf({ reports }: Setup): unknown {
  if (reports.length === 0) return null;
  return reports.map(({ schedule, ...report }) => ({ ...report, schedule: schedule.key }));
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, HEX_DIGITS);
}

/** The keys under which two configurations differ, in the order of their names. */
export function changedKeys(before: Fingerprints, after: Fingerprints): readonly string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => before[key] !== after[key]).toSorted();
}

/**
 * A setting as text by which two are compared, secrets in the clear: it must never be kept, shown or logged.
 */
export function textOf(value: unknown): string {
  return JSON.stringify(plain(value));
}

function plain(value: unknown): unknown {
  if (value instanceof Secret) return { secret: value.reveal() };
  if (value instanceof Map) return { map: [...value].map(plain) };
  if (value instanceof Set) return { set: [...value].map(plain) };
  if (value instanceof URL || value instanceof RegExp) return { text: String(value) };
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, plain(item)]));
}
