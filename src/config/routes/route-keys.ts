import { z } from "zod";
import { isMap } from "../../base/json.ts";
import { nearest } from "../../base/nearest.ts";
import type { ProblemCode } from "../../base/problem-codes.ts";
import {
  alternatives,
  flag,
  kindOf,
  oneOf,
  plainText,
  refuse,
  someOf,
} from "../../base/settings.ts";
import { suggest, suggestList, synonymsOf, synonymTable } from "../../base/suggest.ts";
import type { WatchKind } from "../../kinds/kind.ts";
import {
  errorAt,
  itemsAt,
  type Path,
  type Report,
  shown,
  warningAt,
  warningAtKey,
  wrongType,
} from "../../rules/finding.ts";
import { readKeys } from "../files/shape.ts";
import { asList, labels, oneOrMore, SEVERITIES } from "../rules/rule-keys.ts";
import { SEVERITY_SYNONYMS } from "../synonyms.ts";
import { type Mutes, readMutes } from "./mute-keys.ts";
import { lintMutes, lintReach } from "./route-lint.ts";
import { type Route, Routing } from "./routing.ts";

/** What stands under each key of a route. */
export const ROUTE = z
  .strictObject({
    match: z.unknown(),
    notify: z.unknown(),
    continue: flag(),
    mute: someTexts("names of mutes"),
    mute_critical: flag(),
  })
  .partial();

const ROUTE_WORDS = {
  what: "a route",
  synonyms: synonymTable({
    match: "matchers if severity labels rule kind",
    notify: "channel channels receiver to",
    mute: "mutes mute_time_intervals silence",
    mute_critical: "critical",
  }),
};

/** What stands under each key of what a route matches. */
export const MATCH = z
  .strictObject({
    severity: severities(),
    labels: labels(),
    rule: someTexts("the name of a rule, with * for any text, or a list of such"),
    kind: someTexts("a watch kind, or a list of such"),
  })
  .partial();

const MATCH_WORDS = {
  what: "match",
  synonyms: synonymTable({
    labels: "label tags",
    rule: "rules name",
    kind: "kinds type",
    severity: "severities level",
  }),
};

const PATH: Path = ["routes"];
const EXPECTED = "a list of routes such as [{match: {severity: critical}, notify: on-call}]";

interface RouteContext {
  readonly channels: readonly string[];
  /** The watch kinds by name, without those that an option chooses. */
  readonly kinds: ReadonlyMap<string, WatchKind>;
  /** In which mutes are meant that name no zone. */
  readonly timezone: string;
}

/** Reads `routes` and `mutes`. */
export function readRouting(
  routes: unknown,
  mutes: unknown,
  context: RouteContext,
  report: Report,
): Routing {
  const known = readMutes(mutes, context.timezone, report);
  if (routes === undefined) {
    lintMutes(known, [], report);
    return new Routing(null, context.channels);
  }
  if (!Array.isArray(routes) || routes.length === 0) {
    const what =
      routes === null ? "has no value" : `is ${Array.isArray(routes) ? "empty" : kindOf(routes)}`;
    report(errorAt("wrong-type", PATH, what, EXPECTED));
    return new Routing(null, context.channels);
  }
  const items: readonly unknown[] = routes;
  const read: Route[] = [];
  let whole = true;
  for (const [index, item] of items.entries()) {
    const route = readRoute(item, index, known, context, report);
    if (route === null) whole = false;
    else read.push(route);
  }
  if (whole) lintMutes(known, read, report);
  lintReach(read, report);
  return new Routing(read, context.channels);
}

function readRoute(
  raw: unknown,
  index: number,
  mutes: Mutes,
  { channels, kinds }: RouteContext,
  report: Report,
): Route | null {
  const path = [...PATH, index];
  const keys = readKeys(ROUTE, raw, path, ROUTE_WORDS, report);
  if (keys === null || !isMap(raw)) return null;
  const at = [...path, "notify"];
  const expected = channels.length === 0 ? "a configured channel" : alternatives(channels);
  const empty = Array.isArray(raw.notify) && raw.notify.length === 0;
  if (raw.notify === undefined) report(errorAt("missing-key", at, "is missing", expected));
  else if (empty) report(errorAt("empty", at, "is empty: nobody would be notified", expected));
  const notify = raw.notify === undefined ? [] : readNotify(raw.notify, at, channels, report);
  const match =
    raw.match === undefined
      ? {}
      : (readKeys(MATCH, raw.match, [...path, "match"], MATCH_WORDS, report) ?? {});
  const windows = (keys.mute ?? []).flatMap((name, i) => {
    const its = mutes.get(name);
    if (its !== undefined) return its;
    report(
      unknown(
        "unknown-word",
        name,
        "mute",
        [...mutes.keys()],
        {},
        placeOf(raw.mute, [...path, "mute"], i),
      ),
    );
    return [];
  });
  for (const [i, kind] of (match.kind ?? []).entries()) {
    if (kinds.has(kind)) continue;
    const said = isMap(raw.match) ? raw.match.kind : undefined;
    const place = placeOf(said, [...path, "match", "kind"], i);
    report(unknown("unknown-kind", kind, "kind", [...kinds.keys()], synonymsOf(kinds), place));
  }
  if (keys.mute_critical !== undefined && keys.mute === undefined) {
    report(warningAtKey("no-effect", [...path, "mute_critical"], "the route has no mute"));
  }
  return {
    index,
    severities: match.severity ?? null,
    kinds: match.kind ?? null,
    rules: match.rule ?? null,
    labels: match.labels ?? {},
    notify,
    continues: keys.continue ?? false,
    mutes: keys.mute ?? [],
    windows,
    mutesCritical: keys.mute_critical ?? false,
  };
}

/** Where one of several things stands that may be alone without a list around it. */
function placeOf(raw: unknown, path: Path, index: number): Path {
  return Array.isArray(raw) ? [...path, index] : path;
}

function unknown(
  code: ProblemCode,
  name: string,
  what: string,
  known: readonly string[],
  synonyms: Readonly<Record<string, string | readonly string[]>>,
  path: Path,
) {
  const expected = known.length === 0 ? `a name under ${what}s:` : alternatives(known);
  const near = suggest(name, known, synonyms);
  const hint = { expected, suggestion: near };
  return errorAt(code, path, `unknown ${what} ${shown(name)}`, hint);
}

function severities(): z.ZodType<readonly (typeof SEVERITIES)[number][]> {
  return z
    .preprocess(asList, z.array(oneOf(SEVERITIES, SEVERITY_SYNONYMS)))
    .transform((words, context) =>
      words.length === 0
        ? refuse(context, "empty", "is empty", alternatives(SEVERITIES))
        : [...new Set(words)],
    )
    .meta({ ...oneOrMore({ enum: [...SEVERITIES] }), description: alternatives(SEVERITIES) });
}

/** One text or several, each once. */
function someTexts(expected: string): z.ZodType<readonly string[]> {
  return z
    .preprocess(asList, z.array(plainText(expected)))
    .transform((texts, context) =>
      texts.length === 0 ? refuse(context, "empty", "is empty", expected) : [...new Set(texts)],
    )
    .meta({ ...oneOrMore({ type: ["string", "number"] }), description: expected });
}

/**
 * Reads `notify`: names of channels, each once; all of them where a rule does not say it. `who` is
 * warned of when it tells nobody; of rules that is checked when all of them are read.
 */
export function readNotify(
  raw: unknown,
  path: Path,
  channels: readonly string[],
  report: Report,
  who: string | null = null,
): readonly string[] {
  if (raw === undefined) return [...channels];
  const expected = channels.length === 0 ? "a configured channel" : someOf(channels);
  const items = itemsAt(raw, path);
  if (items.length === 0 && who !== null)
    report(warningAt("tells-nobody", path, `${who} notifies nobody`));
  const names = new Set<string>();
  for (const { item, at } of items) {
    if (typeof item !== "string" || item === "") {
      report(wrongType(at, item, expected));
    } else if (channels.includes(item)) names.add(item);
    else {
      const near = suggestList(item, (one) => channels.includes(one)) ?? nearest(item, channels);
      const hint = { expected, suggestion: near };
      report(errorAt("unknown-channel", at, `unknown channel ${shown(item)}`, hint));
    }
  }
  return [...names];
}
