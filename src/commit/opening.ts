import { createHash } from "node:crypto";
import { notificationStateOf } from "../decide/notification-state.ts";
import {
  type Alert,
  type Change,
  NO_CHANGE,
  type Rule,
  type Setup,
  type SubjectMarks,
} from "../model/index.ts";
import { composeRemoved } from "../notices/notice.ts";
import type { Memory } from "../poll/memory.ts";
import type { AddressedNotice } from "./notices.ts";

/** So many rules or series are made known to the store in one transaction. */
const SLICE = 2_000;

export function versionOf(rule: Rule): string {
  return createHash("sha256").update(rule.source).digest("hex").slice(0, 16);
}

/**
 * What a start writes before its first round, in its order. What is no longer watched goes first, with
 * what is told of it; a start that is cut off after that finds the other rules as they were, and
 * comes to the same.
 */
export function* openingChanges(
  memory: Memory,
  setup: Setup,
  now: number,
  marks: Change["marks"] = [],
): Generator<Change> {
  const { gone, moved, cleared, goneRules, rules, newSeries } = memory;
  yield {
    ...NO_CHANGE,
    // What is cleared is removed and put back.
    gone: [...gone, ...moved].map(({ rule, subject }) => ({ rule, subject })),
    alerts: cleared,
    goneRules,
    notices: removals(memory, setup, now),
    // With the versions that show an edit: a start that is cut off would not know of it any more.
    marks: memory.editedAnew ? [...marks, editedMark(memory.edited)] : marks,
    ...rulesChange(rules.slice(0, SLICE)),
  };
  for (let start = SLICE; start < rules.length; start += SLICE) {
    yield { ...NO_CHANGE, ...rulesChange(rules.slice(start, start + SLICE)) };
  }
  for (let start = 0; start < newSeries.length; start += SLICE) {
    yield { ...NO_CHANGE, series: newSeries.slice(start, start + SLICE) };
  }
}

function rulesChange(rules: Memory["rules"]): Pick<Change, "versions" | "rules"> {
  return {
    versions: rules.map(({ rule, state }) => ({ version: state.version, source: rule.source })),
    rules: rules.map(({ state }) => state),
  };
}

function removals({ gone, cleared }: Memory, setup: Setup, now: number): AddressedNotice[] {
  const configured = new Set(setup.channels.map(({ name }) => name));
  const kept = new Set(cleared.map(keyOf));
  const notices: AddressedNotice[] = [];
  for (const alert of gone) {
    const { rule, subject, label, lastNotified } = alert;
    const was = lastNotified.state === "firing" ? "firing" : "without data";
    // Of an event rule's alert, which goes on, it will be said that its data is back.
    if (was === "without data" && kept.has(keyOf(alert))) continue;
    const heard =
      was === "firing" ? lastNotified.channels : (notificationStateOf(alert).blindTo ?? []);
    const channels = heard.filter((name) => configured.has(name));
    if (channels.length === 0) continue;
    const facts = {
      was,
      rule,
      subject,
      label: label ?? subject,
      at: now,
      severity: "info",
    } as const;
    notices.push({ notice: composeRemoved(facts), channels });
  }
  return notices;
}

function keyOf({ rule, subject }: Alert): string {
  return `${rule}\n${subject}`;
}

/** Under which name the store keeps, among the marks, whose edit people were not told of yet. */
export const EDITED_MARK = "edited rules";

/** The names that were written down; anything else is as if there were none. */
export function editedFromText(text: string | undefined): ReadonlySet<string> {
  if (text === undefined) return new Set();
  const names: unknown = JSON.parse(text);
  return new Set(Array.isArray(names) ? names.filter((name) => typeof name === "string") : []);
}

function editedMark(names: ReadonlySet<string>): SubjectMarks {
  return { subject: EDITED_MARK, value: JSON.stringify([...names]) };
}
