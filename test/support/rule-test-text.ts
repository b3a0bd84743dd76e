import { parseRules } from "../../src/config/rules/rules.ts";
import { KINDS } from "../../src/kinds/index.ts";
import type { Ask } from "../../src/model/index.ts";
import { askedFor, subjectsOf } from "../../src/replay/subjects.ts";
import { fieldsIn, POOLS, type State, stateAt, type Tracks } from "./any-answers.ts";
import { type AnyRule, plainWording, yamlOf } from "./any-rules.ts";

export interface RuleTestOptions {
  readonly start: number;
  readonly minutes: number;
  readonly restarts: readonly number[];
}

/** A file of `tickwatch test` that gives what answersOf gives, and expects nothing. */
export function ruleTestText(
  rules: readonly AnyRule[],
  tracks: Tracks,
  { start, minutes, restarts }: RuleTestOptions,
): string {
  const yaml = yamlOf(rules, plainWording(rules));
  const read = parseRules(yaml, "rules.yaml", {
    watches: KINDS,
    channels: ["console", "slack"],
  }).rules;
  const answers = askedFor(subjectsOf(read, KINDS), read).flatMap(({ subject, kind }) => {
    const own = ownTrack(kind.records[0], subject.chainId, subject.key);
    const given: [Ask["record"], string][] = [[own.record, own.track]];
    if (kind.kind === "v4_position") given.push(["v4_pool", `v4_pool ${POOLS[0].id}`]);
    return [
      `      "${subject.key}":`,
      ...given.flatMap((one) => changesOf(one, tracks, start, minutes)),
    ];
  });
  const steps = [...new Set(restarts)]
    .toSorted((a, b) => a - b)
    .map((minute) => `      - {at: ${minute}m, restart: true}`);
  return [
    yaml,
    `start: ${new Date(start).toISOString().replace(".000Z", "Z")}`,
    "cases:",
    "  - name: drawn",
    `    until: ${minutes}m`,
    "    answers:",
    ...answers,
    "    steps:",
    ...(steps.length === 0 ? ["      []"] : steps),
    "    expect: []",
    "",
  ].join("\n");
}

function ownTrack(record: Ask["record"] | undefined, chain: number, key: string) {
  switch (record) {
    case "v4_pool":
      return { record, track: `v4_pool ${key.split(":").at(-1)}` } as const;
    case "gas_hour":
    case "supply":
      return { record, track: `${record} ${chain}` } as const;
    case "holder_count":
    case "v4_position":
      return { record, track: record } as const;
    default:
      throw new Error(`no track for ${key}`);
  }
}

/** One entry a minute, so that nothing depends on what the entries before it said. */
function changesOf(
  [record, track]: readonly [Ask["record"], string],
  tracks: Tracks,
  start: number,
  minutes: number,
): readonly string[] {
  return Array.from({ length: minutes + 1 }, (_, minute) => {
    const state = stateAt(tracks, track, minute);
    return `        - {at: ${minute}m, ${record}: ${textOf(record, state, minute, start)}}`;
  });
}

function textOf(record: Ask["record"], state: State, minute: number, start: number): string {
  if (state === "failed") return "fail";
  if (state === "absent") return "absent";
  const shown = record === "gas_hour" ? 0 : minute;
  return JSON.stringify(fieldsIn(record, state, shown, start));
}
