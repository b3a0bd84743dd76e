import { notificationStateOf } from "../decide/notification-state.ts";
import type { Explanation } from "../ops/explain-facts.ts";
import { answer, heldReason } from "../replay/explain/answer.ts";
import type { Part } from "../replay/explain/part.ts";
import { toldSentence } from "./explain-told.ts";
import { iso } from "./report.ts";

/** `--json`. */
export function explanationJson(found: Explanation): unknown {
  const { situation, subject, silences, mutes, notices, edits, outages } = found;
  const { rule, name, at, alert, rounds, closedBy, quietBy, lastRound, nextRound } = situation;
  return {
    answer: answer(situation),
    told: toldSentence(found),
    rule: rule.name,
    subject,
    name,
    at: iso(at),
    last_round: iso(lastRound),
    next_round: iso(nextRound),
    state: alert?.state ?? null,
    since: iso(alert?.since ?? null),
    firing_since: iso(alert?.firedAt ?? null),
    told_state: alert?.lastNotified.state ?? null,
    no_data_since: iso(alert?.missing?.since ?? null),
    acknowledged_by: (alert === null ? null : notificationStateOf(alert).acked?.by) ?? null,
    rounds: rounds.map(({ date, truth, when, resolveWhen, trouble }) => ({
      at: iso(date),
      truth,
      when: partJson(when),
      resolve_when: resolveWhen === null ? null : partJson(resolveWhen),
      trouble,
    })),
    gates: {
      closed_by: closedBy,
      quiet_by: quietBy,
      all: situation.gates.map(({ name: gate, key, fires }) => ({ rule: gate, key, fires })),
    },
    held_back: alert === null ? null : heldReason(situation, alert),
    silences: silences.map(({ id, author, comment, endsAt }) => ({
      id,
      by: author,
      comment,
      until: iso(endsAt),
    })),
    mutes: mutes.map(({ channel, until }) => ({ channel, until: iso(until) })),
    notices: notices.map(({ notice, deliveries }) => ({
      id: notice.id,
      kind: notice.kind,
      at: iso(notice.at),
      headline: notice.headline,
      deliveries: deliveries.map(
        ({ channel, state, message, until, settledAt, error, attempts }) => ({
          channel,
          state,
          message,
          until: iso(until),
          settled_at: iso(settledAt),
          error,
          attempts: attempts.map((one) => ({ ...one, at: iso(one.at), until: iso(one.until) })),
        }),
      ),
    })),
    edited_since: edits.map((one) => iso(one.at)),
    edited_keys: found.editedKeys,
    outages: outages.map(({ scope, since }) => ({ scope, since: iso(since) })),
  };
}

function partJson({ text, truth, found, value, limits, base, window, parts }: Part): unknown {
  if (parts.length > 0) return { text, truth, found, parts: parts.map(partJson) };
  return {
    text,
    truth,
    found,
    value,
    limits,
    base: base === null ? null : { value: base.value, at: iso(base.at) },
    window: window === null ? null : { ms: window.ms, known_ms: window.knownMs },
  };
}
