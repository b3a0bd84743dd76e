import type { Store } from "../../src/store/store.ts";
import { answersOf, type Tracks } from "./any-answers.ts";
import { type AnyRule, plainWording, type Wording, yamlOf } from "./any-rules.ts";
import { createMemoryStore } from "./memory-store.ts";
import { MINUTE, START, World } from "./world.ts";

/** A notice as a property compares it: whom it is about by the rule's place, its time as minutes. */
export interface StoryLine {
  readonly minute: number;
  readonly rule: number;
  readonly subject: string;
  readonly kind: string;
  readonly channels: string;
  readonly headline: string;
}

export interface StoryOptions {
  readonly wording?: Wording;
  readonly start?: number;
  readonly minutes: number;
  /** Minutes after whose rounds it restarts. */
  readonly restarts?: readonly number[];
  readonly store?: Store;
}

/** What the rules tell of the tracks, live: the rounds of the daemon from the first minute on. */
export async function storyOf(
  rules: readonly AnyRule[],
  tracks: Tracks,
  { wording = plainWording(rules), start = START, minutes, restarts = [], store }: StoryOptions,
): Promise<readonly StoryLine[]> {
  const world = await World.create(yamlOf(rules, wording), {
    store: store ?? createMemoryStore(),
    start,
    answer: answersOf(tracks, start),
  });
  await world.run(0);
  for (let minute = 0; minute < minutes; minute += 1) {
    if (restarts.includes(minute)) await world.restart();
    await world.run(MINUTE);
  }
  await world.stop();
  if (world.refused.length > 0) throw world.refused[0];
  const lines = world.told.map(({ notice, channels }) => ({
    minute: (notice.at - start) / MINUTE,
    rule: wording.names.indexOf(notice.rule ?? ""),
    subject: notice.subject ?? "",
    kind: notice.kind,
    channels: channels.toSorted().join("+"),
    headline: wording.names.reduce(
      (text, name, place) => text.replaceAll(name, `rule ${place}`),
      notice.headline.replaceAll(/\d{4}-\d\d-\d\d/g, "DAY"),
    ),
  }));
  return lines.toSorted(byTime);
}

function byTime(a: StoryLine, b: StoryLine): number {
  if (a.minute !== b.minute) return a.minute - b.minute;
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}
