import { formatTime } from "../base/clock.ts";
import { cleanText, countOf, cutText } from "../base/text.ts";
import { isRulesFile, loadRulesFile } from "../config/settings/load.ts";
import { KINDS } from "../kinds/index.ts";
import type { AddressedNotice, Rule } from "../model/index.ts";
import type { Replayed } from "./backtest-run.ts";
import type { Io } from "./io.ts";
import { iso } from "./report.ts";
import { readSetup } from "./setup.ts";

/** So many notices of each side are listed. */
const MOST_LISTED = 40;

/** The rules of another version: a rules file, or a configuration. Throws ConfigError. */
export async function otherRules(file: string, io: Io): Promise<readonly Rule[]> {
  if (await isRulesFile(file)) return (await loadRulesFile(file, KINDS)).rules;
  return (await readSetup(file, io)).setup.rules;
}

/** The notices of one version that the other does not send. */
export interface Difference {
  readonly onlyHere: readonly AddressedNotice[];
  readonly onlyThere: readonly AddressedNotice[];
  readonly same: number;
}

/** Notices are the same that tell the same kind of one alert at one time. */
export function differenceOf({ worlds }: Replayed): Difference {
  const [here = [], there = []] = worlds.map(({ result }) => result.notices);
  const keyOf = ({ notice: { rule, subject, kind, at } }: AddressedNotice): string =>
    [rule, subject, kind, at].join("\n");
  const [mine, theirs] = [new Set(here.map(keyOf)), new Set(there.map(keyOf))];
  const onlyHere = here.filter((one) => !theirs.has(keyOf(one)));
  const onlyThere = there.filter((one) => !mine.has(keyOf(one)));
  return { onlyHere, onlyThere, same: here.length - onlyHere.length };
}

/** Lines with `-` for what the other version does not send, and `+` for what it sends besides. */
export function comparePage(found: Difference, other: string, width: number): string {
  const { onlyHere, onlyThere, same } = found;
  const name = cleanText(other, 60);
  const all = [
    ...onlyHere.slice(0, MOST_LISTED).map((one) => ({ sign: "-", one })),
    ...onlyThere.slice(0, MOST_LISTED).map((one) => ({ sign: "+", one })),
  ].toSorted((a, b) => a.one.notice.at - b.one.notice.at);
  const lines = all.map(({ sign, one: { notice } }) =>
    cutText(
      `${sign} ${formatTime(notice.at)}  ${cleanText(notice.rule ?? "")}  ${notice.kind}  ${notice.headline}`,
      width,
    ),
  );
  const hidden = onlyHere.length + onlyThere.length - all.length;
  return [
    `${countOf(same, "notice")} in both, ${onlyHere.length} that ${name} does not send (-), ` +
      `${onlyThere.length} that only ${name} sends (+)`,
    ...lines,
    ...(hidden > 0 ? [`… and ${hidden} more: --json has all of them`] : []),
  ].join("\n");
}

export function compareJson({ onlyHere, onlyThere, same }: Difference): unknown {
  const listOf = (all: readonly AddressedNotice[]) =>
    all.map(({ notice: { rule, subject, kind, at, headline } }) => ({
      rule,
      subject,
      kind,
      at: iso(at),
      headline,
    }));
  return { same, only_here: listOf(onlyHere), only_there: listOf(onlyThere) };
}
