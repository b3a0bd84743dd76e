import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { countOf, someNames } from "../base/text.ts";
import { ConfigError, type Problem } from "../config/files/text-file.ts";
import { isRulesFile, loadRulesFile } from "../config/settings/load.ts";
import { KINDS } from "../kinds/index.ts";
import type { Rule, Setup } from "../model/index.ts";
import type { Together } from "../poll/division.ts";
import { describeRule } from "../rules/describe/sentence.ts";
import { EXIT, type Io } from "./io.ts";
import type { Look, Seen } from "./look.ts";
import { print, reportWarnings, roundWords, subjectCount, subjectWords, table } from "./report.ts";
import { readSetup } from "./setup.ts";
import { beyondLimits, beyondLine } from "./shared-limits.ts";

export interface CheckOptions {
  readonly config: string;
  readonly json?: boolean;
  readonly online?: boolean;
  /** The only rules file that is asked for. */
  readonly rulesFile?: string;
}

/** What was seen, and what the nodes behind it can do, a line each. */
interface LookOnline extends Look {
  readonly nodes: readonly string[];
}

/** What rules are checked by themselves. */
type Checked = Pick<Setup, "rules" | "channels">;

/**
 * If a file holds rules: itself, and the configuration by which it is read. That is the one that is given, or
 * `config.yaml` in the folder of the file, above it or here; empty: there is none.
 */
export async function findRulesFile(
  file: string,
  given: string | null,
): Promise<{ readonly rulesFile: string; readonly config: string } | null> {
  if (!(await isRulesFile(file))) return null;
  if (given !== null) return { rulesFile: file, config: given };
  const folder = dirname(file);
  for (const place of [folder, join(folder, ".."), "."]) {
    const config = join(place, "config.yaml");
    if (await stat(config).catch(() => null)) return { rulesFile: file, config };
  }
  return { rulesFile: file, config: "" };
}

/** `tickwatch check`: the exit code. Throws ConfigError, unless `json` has the problems in it. */
export async function check(options: CheckOptions, io: Io): Promise<number> {
  const { config, json = false, online = false, rulesFile } = options;
  try {
    if (rulesFile !== undefined && config === "") return await checkAlone(rulesFile, json, io);
    const { setup: whole, warnings } = await readSetup(config, io, { rulesFile });
    const setup = rulesFile === undefined ? whole : onlyRulesOf(whole, rulesFile);
    const undivided = rulesFile === undefined ? await undividedOf(setup) : null;
    if (!json) {
      reportWarnings(warnings, io);
      for (const line of undivided === null ? [] : undividedLines(undivided)) {
        io.err(`warning: ${line}\n`);
      }
    }
    const look = online ? await lookOnline(setup, io) : null;
    if (typeof look === "string") {
      if (json) io.out(`${JSON.stringify({ ...report(setup, warnings, null), ok: false })}\n`);
      io.err(`tickwatch: ${look}\n`);
      return EXIT.unreachable;
    }
    const beyond = online ? await beyondLimits(setup) : null;
    if (beyond !== null && !json) io.err(`warning: ${beyondLine(beyond)}\n`);
    print(options, io, {
      value: () => ({
        ...report(setup, warnings, look),
        ...(undivided === null ? {} : { decided_together: undivided.parts }),
        ...(beyond === null ? {} : { requests_at_a_time: beyond }),
      }),
      page: () => page(setup, warnings, look),
    });
    return look !== null && (look.round.failed > 0 || look.unread.length > 0)
      ? EXIT.found
      : EXIT.fine;
  } catch (error) {
    if (!json || !(error instanceof ConfigError)) throw error;
    const { problems, more } = error;
    io.out(`${JSON.stringify({ ok: false, problems, more, warnings: [], rules: [] })}\n`);
    return EXIT.usage;
  }
}

function onlyRulesOf(setup: Setup, file: string): Setup {
  return {
    ...setup,
    rules: setup.rules.filter(({ place }) => resolve(place.file) === resolve(file)),
  };
}

/** A rules file without a configuration is checked by the defaults. */
async function checkAlone(file: string, json: boolean, io: Io): Promise<number> {
  const { rules, warnings } = await loadRulesFile(file, KINDS);
  const checked = { rules, channels: [] };
  if (!json) reportWarnings(warnings, io);
  io.out(
    json ? `${JSON.stringify(report(checked, warnings, null))}\n` : page(checked, warnings, null),
  );
  return EXIT.fine;
}

/** What the service says now, or what keeps it from answering. Most checks do without the whole daemon. */
async function lookOnline(setup: Setup, io: Io): Promise<LookOnline | string> {
  const { askAll, withOwnService } = await import("./look.ts");
  return await withOwnService(setup, io, async (own, service) => {
    const look = await askAll(own, io);
    return typeof look === "string" ? look : { ...look, nodes: await service.nodeLines() };
  });
}

/** The rules file by file, each with its sentence and, if the service was asked, what it saw. */
function page(setup: Checked, warnings: readonly Problem[], look: LookOnline | null): string {
  const blocks = setup.rules.map((rule) => {
    const { file, line } = rule.place;
    const seen = seenBy(rule, look);
    const lines = [`${file}:${line}: ${rule.name}`, `  ${sentenceOf(rule, seen)}.`];
    if (look !== null) lines.push(indented(tableOf(seen)));
    return lines.join("\n");
  });
  const nodes = look === null || look.nodes.length === 0 ? [] : [look.nodes.join("\n")];
  const asked =
    look === null ? [] : [...nodes, [...look.unread, roundWords(look.round)].join("\n")];
  return [...blocks, ...asked, summary(setup, warnings)].join(look === null ? "\n" : "\n\n");
}

function seenBy({ name }: Rule, look: Look | null): readonly Seen[] {
  return look?.seen.filter(({ rule }) => rule === name) ?? [];
}

function sentenceOf(rule: Rule, seen: readonly Seen[]): string {
  const kind = KINDS.get(rule.kind);
  return describeRule(rule, {
    metrics: kind?.metrics ?? new Map(),
    description: seen[0]?.description ?? null,
    bucketMs: kind?.bucketMs ?? null,
  });
}

function tableOf(seen: readonly Seen[]): string {
  const rows = seen.map(({ name, metric, shown, state, trouble, says }) => [
    name,
    metric ?? "",
    shown,
    says ?? (trouble === null ? state : `${state}: ${trouble}`),
  ]);
  return table(["subject", "metric", "value now", "would say"], rows);
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "    ");
}

function summary(setup: Checked, warnings: readonly Problem[]): string {
  const counts = [
    countOf(setup.rules.length, "rule"),
    ...subjectWords(setup),
    countOf(setup.channels.length, "channel"),
  ];
  const warned = warnings.length === 0 ? "" : `, ${countOf(warnings.length, "warning")}`;
  return `OK: ${counts.join(", ")}${warned}.`;
}

function report(setup: Checked, warnings: readonly Problem[], look: Look | null) {
  return { ok: true, problems: [], warnings, rules: setup.rules.map((rule) => ruleOf(rule, look)) };
}

function ruleOf(rule: Rule, look: Look | null): unknown {
  const { name, place, kind, subjects, severity, notify, schedule } = rule;
  const seen = seenBy(rule, look);
  return {
    name,
    place,
    kind,
    sentence: sentenceOf(rule, seen),
    subjects: subjects.map(({ key, name: given }) => ({ subject: key, name: given })),
    severity,
    notify,
    schedule: schedule.text,
    ...(look === null
      ? {}
      : {
          now: seen.map(({ subject, name: called, metric, value, state, says, trouble }) => ({
            subject,
            name: called,
            metric,
            value,
            state,
            says,
            trouble,
          })),
        }),
  };
}

/** A part of the work that is not more than this part of the subjects, or this many, keeps no daemon from its share. */
const PART = 1 / 20;
const FEW = 100;
/** A list of names is for a person to read. */
const MOST_NAMES = 5;

/** What several daemons cannot divide, by a configuration that has `cluster`. */
export interface Undivided {
  /** How many subjects there are. */
  readonly of: number;
  readonly parts: readonly Together[];
}

/** Null: there is one daemon. */
async function undividedOf(setup: Setup): Promise<Undivided | null> {
  if (setup.cluster === null) return null;
  const { Division } = await import("../poll/division.ts");
  const of = subjectCount(setup);
  return { of, parts: new Division(setup.rules).together(Math.max(FEW, of * PART)) };
}

/** A line for each part. */
function undividedLines({ of, parts }: Undivided): readonly string[] {
  return parts.map(({ subjects, rules }) => {
    const names = someNames(rules, MOST_NAMES);
    const count = `${subjects.toLocaleString("en-US")} of ${of.toLocaleString("en-US")} subjects`;
    return `${count} are decided together, by ${rules.length === 1 ? "rule" : "rules"} ${names}: one daemon of the cluster watches them all`;
  });
}
