import { chainName } from "../../base/chains.ts";
import { cleanText, cutText } from "../../base/text.ts";
import type { StartedEvent } from "../event.ts";
import { characters, HEADLINE_LENGTH } from "./fit.ts";
import { sharedLabel } from "./labels.ts";
import { stateWords } from "./state-words.ts";
import { BLIND_ICON, SEVERITY_ICONS } from "./wording.ts";

/**
 * `🔵 Watching 12: 7 in range, 5 out of range: A, B, …`: counts are whole, names give way, and what
 * differs by its chain alone is told by that: `🔵 Watching AUSD on 6 chains: 6 quiet: Base, …`. Where
 * none of them finds its place there, the line ends in one: `🔵 Watching 1: 1 not known yet. Ethereum`.
 * With a subject that has no data it begins with ⚪.
 */
export function startedHeadline({ rule, subjects }: StartedEvent): string {
  const words = stateWords(rule.when);
  const shared = sharedLabel(subjects);
  const nameOf = ({ label, subject, description }: StartedEvent["subjects"][number]): string => {
    if (shared !== null) return chainName(subject.chainId);
    // What lies on several chains says so: its name alone is that of one of them.
    const several = rule.across !== null && description !== null && label !== description.chain;
    return cleanText(several ? `${label}, ${description.chain}` : label);
  };
  const labels = (state: StartedEvent["subjects"][number]["state"]): string[] =>
    subjects.filter((one) => one.state === state).map(nameOf);
  const [quiet, firing, open, priming, blind] = [
    labels(false),
    labels(true),
    labels(null),
    labels("priming"),
    labels("no data"),
  ];
  // What is quiet is named where nothing else is: a headline stands alone.
  const calm = firing.length + blind.length === 0;
  const groups = [
    { count: quiet.length, word: words.quiet, names: calm ? quiet : [] },
    { count: open.length, word: "not known yet", names: [] },
    { count: priming.length, word: "priming", names: [] },
    { count: firing.length, word: words.firing, names: firing },
    { count: blind.length, word: "no data", names: blind },
  ]
    .filter(({ count }) => count > 0)
    .map((one) => ({ ...one, names: one.names.filter((name) => name !== "") }));

  const whom =
    shared === null
      ? String(subjects.length)
      : `${cutText(shared, SHARED_LENGTH)} on ${subjects.length} chains`;
  // Whoever is not watched for want of data must be noticed.
  const icon = blind.length > 0 ? BLIND_ICON : SEVERITY_ICONS.info;
  const head = `${icon} Watching ${whom}`;
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
  const line = joinGroups(head, parts);
  if (line !== joinGroups(head, counts)) return line;
  const names = subjects.map(nameOf).filter((name) => name !== "");
  return line + whose(names, cleanText(rule.name), HEADLINE_LENGTH - characters(line));
}

/** A name that all subjects share is cut to this, so that there is room for their chains. */
const SHARED_LENGTH = 24;
/** Shorter than this a cut name says nothing. */
const SHORTEST_NAME = 8;

/** `. A, B, …` in at most `room` characters; the first name is cut, or else the rule is named. */
function whose(names: readonly string[], rule: string, room: number): string {
  const listed = listNames(names, room);
  if (listed !== "") return listed.replace(":", ".");
  const [first = rule] = names;
  const more = names.length > 1 ? ", …" : "";
  const left = room - 2 - more.length;
  return left < SHORTEST_NAME ? "" : `. ${cutText(first, left)}${more}`;
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
