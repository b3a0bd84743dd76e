import { cleanText } from "../base/text.ts";
import type { Alert, Subject } from "../model/index.ts";
import type { AlertMemory, SubjectMemory } from "./memory.ts";

/**
 * A subject as it is asked for: several rules may watch it and call it differently, so that what is read
 * of it names it as the service does, and each alert has its own rule's name.
 */
export function nameless(subject: Subject): Subject {
  return subject.name === null ? subject : { ...subject, name: null };
}

/**
 * An alert whose rule was edited: it may have been called by a name that the rule gives no more. The
 * first answer names it anew.
 */
export function unnamed(alert: Alert, subject: Subject): Alert {
  return subject.name !== null || alert.label === null ? alert : { ...alert, label: null };
}

/**
 * Earlier versions called all alerts on a subject by the name that one of their rules gives. What a rule
 * names itself it takes back by itself; one that gives no name forgets that of another.
 */
export function forgetTakenNames(subjects: Iterable<SubjectMemory>): void {
  for (const { alerts } of subjects) {
    if (alerts.length < 2 || !alerts.some(isNamedByChain)) continue;
    const given = new Set(alerts.map(({ subject }) => cleanText(subject.name ?? "")));
    for (const one of alerts) {
      const { alert } = one;
      if (alert === null || alert.label === null || !isNamedByChain(one)) continue;
      if (given.has(alert.label)) one.alert = { ...alert, label: null };
    }
  }
}

function isNamedByChain({ subject, alert }: AlertMemory): boolean {
  return subject.name === null && alert !== null && alert.label !== null;
}
