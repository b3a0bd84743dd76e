import { z } from "zod";
import { isMap } from "../../base/json.ts";
import { isCron } from "../../base/schedule.ts";
import { plainText } from "../../base/settings.ts";
import { suggest, synonymTable } from "../../base/suggest.ts";
import { cleanText } from "../../base/text.ts";
import type { ReportConfig, Rule } from "../../model/index.ts";
import {
  errorAt,
  errorAtKey,
  itemsAt,
  type Path,
  type Report,
  shown,
  warningAt,
  wrongType,
} from "../../rules/finding.ts";
import { readKeys } from "../files/shape.ts";
import { readNotify } from "../routes/route-keys.ts";
import { matchesName } from "../routes/routing.ts";
import { lintSchedule, Schedules } from "../rules/schedules.ts";

const CRON_EXPECTED = 'a cron expression such as "0 8 * * *"';
const RULES_EXPECTED = "names of rules, with * for any text, such as [my-range, lp-*]";

/** What stands under each key of a report. */
export const REPORT = z
  .strictObject({
    cron: plainText(CRON_EXPECTED),
    rules: z.unknown(),
    channels: z.unknown(),
  })
  .partial();

const REPORT_WORDS = {
  what: "a report",
  synonyms: synonymTable({
    cron: "schedule at time every",
    rules: "rule",
    channels: "channel notify to",
  }),
};

const PATH: Path = ["reports"];
const EXPECTED =
  'names with reports such as morning: {cron: "0 8 * * *", rules: [my-range], channels: [lp-mail]}';
const LONGEST_NAME = 40;

/** A report as it is written; which rules its patterns mean is known once those are read. */
export interface ReportKeys extends Omit<ReportConfig, "rules"> {
  readonly patterns: readonly { readonly text: string; readonly path: Path }[] | null;
}

interface ReportContext {
  /** By their names, those that keep what they are told until somebody ends it. */
  readonly channels: readonly { readonly name: string; readonly kind: string }[];
  readonly timezone: string;
}

/** Channels that alarm people, and to which a report is nothing. */
const ALARMS: ReadonlySet<string> = new Set(["pagerduty", "alertmanager"]);

/** Reads `reports`. */
export function readReports(
  raw: unknown,
  { channels, timezone }: ReportContext,
  report: Report,
): readonly ReportKeys[] {
  if (raw === undefined) return [];
  if (!isMap(raw)) {
    report(wrongType(PATH, raw, EXPECTED));
    return [];
  }
  const schedules = new Schedules();
  const names = channels.map(({ name }) => name);
  const alarms = new Set(channels.filter(({ kind }) => ALARMS.has(kind)).map(({ name }) => name));
  return Object.entries(raw).flatMap(([name, value]) => {
    const path = [...PATH, name];
    if (name === "" || cleanText(name, LONGEST_NAME) !== name) {
      const expected = `a name of 1 to ${LONGEST_NAME} characters`;
      report(errorAtKey("bad-name", path, "the name of a report cannot be used", expected));
      return [];
    }
    const keys = readKeys(REPORT, value, path, REPORT_WORDS, report);
    if (keys === null || !isMap(value)) return [];
    for (const [key, expected] of [
      ["cron", CRON_EXPECTED],
      ["channels", "channels such as [lp-mail]"],
    ] as const) {
      if (!(key in value)) report(errorAt("missing-key", [...path, key], "is missing", expected));
    }
    const schedule = readCron(keys.cron, timezone, [...path, "cron"], schedules, report);
    const patterns = readPatterns(keys.rules, [...path, "rules"], report);
    if (keys.channels === undefined) return [];
    const at = [...path, "channels"];
    const told = readNotify(keys.channels, at, names, report, `the report ${shown(name)}`);
    for (const channel of told.filter((one) => alarms.has(one))) {
      const message = `${shown(channel)} opens and closes alerts, and shows no report`;
      report(warningAt("tells-nobody", at, message, "a channel that people read"));
    }
    return schedule === null ? [] : [{ name, schedule, patterns, channels: told }];
  });
}

function readCron(
  text: string | undefined,
  timezone: string,
  path: Path,
  schedules: Schedules,
  report: Report,
): ReportConfig["schedule"] | null {
  if (text === undefined) return null;
  const read = schedules.read(text, timezone);
  if ("message" in read) {
    report(errorAt("bad-schedule", path, read.message, CRON_EXPECTED));
    return null;
  }
  if (!isCron(read)) {
    const what = read.eachBlock ? "is each block" : "is a duration";
    const message = `${shown(text)} ${what}, and a report comes at set times`;
    report(errorAt("bad-schedule", path, message, CRON_EXPECTED));
    return null;
  }
  lintSchedule(read, path, report);
  return read;
}

function readPatterns(raw: unknown, path: Path, report: Report): ReportKeys["patterns"] {
  if (raw === undefined) return null;
  const items = itemsAt(raw, path);
  if (items.length === 0) report(errorAt("empty", path, "is empty", RULES_EXPECTED));
  return items.flatMap(({ item, at }) => {
    if (typeof item === "string" && item !== "") return [{ text: item, path: at }];
    report(wrongType(at, item, RULES_EXPECTED));
    return [];
  });
}

/** Reports with the rules that they mean; one that means none of `rules` is doubted. */
export function reportsOf(
  read: readonly ReportKeys[],
  rules: readonly Pick<Rule, "name">[],
  report: Report,
): readonly ReportConfig[] {
  const names = rules.map(({ name }) => name);
  return read.map(({ patterns, ...keys }) => {
    const meant = new Set<string>();
    for (const { text, path } of patterns ?? []) {
      const found = names.filter((name) => matchesName(text, name));
      for (const name of found) meant.add(name);
      if (found.length > 0) continue;
      const hint = { suggestion: suggest(text, names) };
      report(warningAt("matches-no-rule", path, `no rule is called ${shown(text)}`, hint));
    }
    return { ...keys, rules: patterns === null ? null : [...meant] };
  });
}
