/**
 * What a case cannot say, such as an edit of a rule, or what is told when it is read: where it is
 * proven, by a file in test/ and the title of the story, or the words that are expected, in it.
 */
export const ELSEWHERE: Readonly<Record<string, readonly [file: string, words: string]>> = {
  C1a: ["rules/parse/condition.test.ts", "falls needs a window"],
  C2e: ["rules/parse/condition.test.ts", "of ticks is not supported"],
  C3j: ["rules/parse/condition.test.ts", "the window holds fewer than 6 rounds"],
  C4c: ["rules/parse/relative.test.ts", "a percentile of fewer than 20 rounds means nothing"],
  C5d: ["config/events.test.ts", "has no resolve_when and resolves nothing"],
  C6a: [
    "commit/streams.test.ts",
    "starts quietly and tells of each new swap that it is about, oldest first",
  ],
  C6b: ["commit/streams.test.ts", "takes an empty first answer as what was there before"],
  C6c: ["config/rules/entries.test.ts", "refuses to mix what is of one entry with what is not"],
  C8i: ["rules/parse/relative.test.ts", "do not tell when they last changed"],
  L2g: ["commit/endings.test.ts", "is green where its value is well again"],
  L4h: [
    "config/rules/life-keys.test.ts",
    "is measured on the first term of all, and of any on none",
  ],
  L5j: ["commit/commands.test.ts", "is kept when its rule is edited"],
  L9d: ["commit/flapping.test.ts", "is told again every day while it lasts"],
  L9f: ["commit/flapping.test.ts", "of gaps in the data is told likewise"],
  L12c: ["commit/lag.test.ts", "calls off nothing and tells of no crossing, also after a restart"],
  L13c: ["commit/across.test.ts", "another set of chains starts anew: adding one is not a mint"],
  L14m: ["config/rules/life-keys.test.ts", "must not go in a circle"],
  L8d: ["commit/restart.test.ts", "that adds a subject which is true at once fires after for"],
  L8h: ["delivery/deliver-start.test.ts", "goes as one message to each channel"],
  L15a: ["commit/restart.test.ts", "of a rule keeps its alert and is named as changed"],
  L15b: [
    "commit/restart.test.ts",
    "that removes a firing rule says so, once, to those who were told",
  ],
  L15d: ["commit/edits.test.ts", "the furthest for worse, whatever else is edited"],
  L15c: [
    "channels/incident.test.ts",
    "hears that its whole rule is watched no more, whatever told of the gap",
  ],
  W4: [
    "commit/backfill/backfill.test.ts",
    "has nothing of points that are farther apart than it is long",
  ],
};
