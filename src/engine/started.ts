import { cleanText } from "../base/text.ts";
import type { Condition } from "../model.ts";
import type { StartedEvent } from "./event.ts";
import { characters, HEADLINE_LENGTH } from "./fit.ts";
import { SEVERITY_ICONS } from "./wording.ts";

/** `🔵 Watching 12: 7 in range, 5 out of range: A, B, …`: counts are whole, names give way. */
export function startedHeadline({ rule, subjects }: StartedEvent): string {
  const words = stateWords(rule.when);
  const labels = (state: StartedEvent["subjects"][number]["state"]): string[] =>
    subjects.filter((one) => one.state === state).map(({ label }) => cleanText(label));
  const [quiet, firing, open, blind] = [
    labels(false),
    labels(true),
    labels(null),
    labels("no data"),
  ];
  // What is quiet is named where nothing else is: a headline stands alone.
  const calm = firing.length + blind.length === 0;
  const groups = [
    { count: quiet.length, word: words.quiet, names: calm ? quiet : [] },
    { count: open.length, word: "not known yet", names: [] },
    { count: firing.length, word: words.firing, names: firing },
    { count: blind.length, word: "no data", names: blind },
  ].filter(({ count }) => count > 0);

  const head = `${SEVERITY_ICONS.info} Watching ${subjects.length}`;
  const counts = groups.map(({ count, word }) => `${count} ${word}`);
  const named = groups.filter(({ names }) => names.length > 0);
  let room = HEADLINE_LENGTH - characters(joinGroups(head, counts));
  let left = named.length;
  // The first groups leave to the later ones an even share of the room.
  const parts = groups.map(({ names }, i) => {
    const text = counts[i] ?? "";
    if (names.length === 0) return text;
    const listed = listNames(names, Math.floor(room / left));
    left -= 1;
    room -= characters(listed);
    return text + listed;
  });
  return joinGroups(head, parts);
}

function joinGroups(head: string, groups: readonly string[]): string {
  return groups.length === 0 ? head : `${head}: ${groups.join(", ")}`;
}

/** `: A, B, …` in at most `room` characters, whole names only; empty if not even one has room. */
function listNames(names: readonly string[], room: number): string {
  let listed = "";
  for (const [i, name] of names.entries()) {
    const longer = listed === "" ? `: ${name}` : `${listed}, ${name}`;
    const more = i < names.length - 1 ? ", …" : "";
    if (characters(longer + more) > room) return listed === "" ? "" : `${listed}, …`;
    listed = longer;
  }
  return listed;
}

/** What the two answers of a condition are called. */
function stateWords(when: Condition): { quiet: string; firing: string } {
  const inRange = { quiet: "out of range", firing: "in range" };
  const outOfRange = { quiet: "in range", firing: "out of range" };
  if (
    (when.op === "equals" || when.op === "not_equals") &&
    when.metric === "in_range" &&
    when.limit.kind === "value"
  ) {
    const wanted = (when.limit.value === true) === (when.op === "equals");
    return wanted ? inRange : outOfRange;
  }
  return { quiet: "quiet", firing: "firing" };
}
