import { suggest } from "../../base/suggest.ts";
import type { WatchKind } from "../../kinds/kind.ts";
import type { Rule } from "../../model/index.ts";
import { type Path, type Report, shown, warningAt, warningAtKey } from "../../rules/finding.ts";
import type { Mutes } from "./mute-keys.ts";
import { covers, labelOf, matchesName, type Route, type Routing } from "./routing.ts";

/** What routes and mutes say that is no mistake by itself, and surely not what was meant. */

const PATH: Path = ["routes"];

/** A mute that no route names. */
export function lintMutes(mutes: Mutes, routes: readonly Route[], report: Report): void {
  for (const name of mutes.keys()) {
    if (routes.some((route) => route.mutes.includes(name))) continue;
    report(warningAtKey("unused", ["mutes", name], `no route uses the mute ${shown(name)}`));
  }
}

/** A route behind another that takes all that it matches. */
export function lintReach(routes: readonly Route[], report: Report): void {
  for (const [i, route] of routes.entries()) {
    const taker = routes.slice(0, i).find((one) => !one.continues && covers(one, route));
    if (taker === undefined) continue;
    const message = `no rule reaches this route: route ${taker.index + 1} matches them all first`;
    report(
      warningAt(
        "unused",
        [...PATH, route.index],
        message,
        "continue: true there, or this one before it",
      ),
    );
  }
}

/** What a route asks for that no rule has: it was surely meant to match some. */
export function lintMatches(
  { routes }: Routing,
  found: readonly Rule[],
  watches: ReadonlyMap<string, WatchKind>,
  report: Report,
): void {
  if (routes === null) return;
  const rules = found.map(({ name, labels, kind }) => {
    return { name, labels, kind: watches.get(kind)?.variantOf ?? kind };
  });
  for (const { index, kinds, labels: wanted, rules: names } of routes) {
    const path = [...PATH, index, "match"];
    const warn = (key: string, what: string, known: Iterable<string>, said: string): void => {
      const near = suggest(said, known);
      const hint = { suggestion: near };
      report(warningAt("matches-no-rule", [...path, key], `no rule ${what}`, hint));
    };
    for (const pattern of names ?? []) {
      if (rules.some(({ name }) => matchesName(pattern, name))) continue;
      warn(
        "rule",
        `is called ${shown(pattern)}`,
        rules.map(({ name }) => name),
        pattern,
      );
    }
    for (const kind of kinds ?? []) {
      if (!rules.some((rule) => rule.kind === kind))
        warn("kind", `is of kind ${shown(kind)}`, [], kind);
    }
    for (const [key, value] of Object.entries(wanted)) {
      const values = new Set(rules.map((rule) => labelOf(rule, key)).filter((one) => one !== null));
      if (values.has(value)) continue;
      warn("labels", `has the label ${shown(`${key}: ${value}`)}`, values, value);
    }
  }
}
