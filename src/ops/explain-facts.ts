import { isMap } from "../base/json.ts";
import { GateFinder, placesOf } from "../decide/gates.ts";
import { hasBeenMissing, isFiring, notificationStateOf } from "../decide/notification-state.ts";
import { matches, mutedUntil } from "../delivery/suppress/hold.ts";
import { KINDS } from "../kinds/index.ts";
import {
  type Alert,
  type Rule,
  type RuleChange,
  type Setup,
  type Silence,
  SOURCE_RULE,
} from "../model/index.ts";
import { AlertRecord } from "../replay/explain/alert-record.ts";
import { roundsFound } from "../replay/explain/rounds.ts";
import type { GateFound, Situation } from "../replay/explain/situation.ts";
import type { OperatorDb } from "../store/operator-db/operator-db.ts";
import type { OutboxEntry } from "../store/operator-db/outbox-entries.ts";
import type { AlertPast, PastNotice } from "../store/operator-db/past.ts";
import type { Recorded } from "../store/operator-db/recorded.ts";

const DAY = 86_400_000;
/** So many rounds of the past are looked at for one timer. */
const MOST_ROUNDS = 500;
const MOST_NOTICES = 60;

/** Everything that an explanation tells. */
export interface Explanation {
  readonly situation: Situation;
  /** The subject's key. */
  readonly subject: string;
  /** Those that were in force and match it. */
  readonly silences: readonly Silence[];
  /** The channels that were muted then, and until when. */
  readonly mutes: readonly { readonly channel: string; readonly until: number }[];
  /** What was told of it up to then, oldest first. */
  readonly notices: readonly PastNotice[];
  /** The channels whose oldest message is tried again and again now: the notices behind it wait. */
  readonly stuck: ReadonlyMap<string, OutboxEntry>;
  /** Its edits after that time, and the keys in which it is another rule now. */
  readonly edits: readonly RuleChange[];
  readonly editedKeys: readonly string[];
  /** Since when all of the service, a kind of record or a chain was not answered, as the daemon told then. */
  readonly outages: readonly OutageFound[];
}

interface OutageFound {
  /** Its key. */
  readonly scope: string;
  readonly name: string;
  readonly since: number;
}

export interface ExplainSources {
  readonly db: OperatorDb;
  readonly recorded: Recorded;
  readonly setup: Setup;
}

export interface ExplainAsked {
  readonly rule: Rule;
  readonly subject: string;
  readonly name: string;
  readonly at: number;
  readonly isNow: boolean;
}

/** Gathers what is kept of an alert at a time. Throws StoreError. */
export async function explanationOf(
  asked: ExplainAsked,
  { db, recorded, setup }: ExplainSources,
): Promise<Explanation> {
  const { rule, subject, at } = asked;
  const { past } = db;
  const edits = await past.edits(rule.name);
  const [newest] = await past.rounds(rule.name, at, 1);
  const lastRound = newest?.date ?? null;
  const now = await past.alert(rule.name, subject);
  const record = await recordOf(rule.name, subject, now, past);
  const needMs = Math.max(rule.forMs, rule.resolveAfterMs);
  const many = await past.rounds(rule.name, at, MOST_ROUNDS);
  const first = many.findLast(({ date }) => date >= (lastRound ?? at) - needMs)?.date ?? lastRound;
  const rounds =
    lastRound === null || first === null || isOfEntries(rule)
      ? []
      : await roundsFound({
          rule,
          rules: setup.rules,
          subject,
          kinds: KINDS,
          recorded,
          from: first,
          to: lastRound,
          alertAt: (date) => record.at(date),
        });
  const gates = await gatesOf(asked, lastRound ?? at, { recorded, setup, past });
  const isLatest = (await past.roundAfter(rule.name, lastRound ?? at)) === null;
  const alert = isLatest && now !== null ? now : record.at(lastRound ?? at);
  return {
    subject,
    situation: {
      ...asked,
      isOfEntries: isOfEntries(rule),
      backfilledAt: await past.backfilledAt(subject),
      rounds,
      lastRound,
      nextRound: lastRound === null ? null : await past.roundAfter(rule.name, lastRound),
      alert,
      change: record.changeBy(lastRound ?? at),
      ...gates,
      unwatched: now !== null && at < now.createdAt ? { since: now.createdAt, until: null } : null,
    },
    silences: silencesOf(rule, subject, at, await db.silences.all()),
    mutes: rule.notify.flatMap((channel) => {
      const until = mutedUntil(rule.mutes.get(channel) ?? [], at);
      return until === null || !rule.mutes.has(channel) ? [] : [{ channel, until }];
    }),
    notices: await past.notices(
      rule.name,
      subject,
      Math.min(alert?.firedAt ?? at, at - DAY),
      at,
      MOST_NOTICES,
    ),
    stuck: new Map((await db.outboxPages.stuck()).map((one) => [one.channel, one])),
    edits: edits.filter((one) => one.at > at),
    editedKeys: await keysEdited(edits, at, past),
    outages: await outagesAt(at, past),
  };
}

/** Each of its entries is told once, and none is kept. */
export function isOfEntries({ kind, metrics }: Rule): boolean {
  const of = KINDS.get(kind);
  return of?.stream !== undefined && metrics.some((name) => of.metrics.get(name)?.entry === true);
}

type Past = AlertPast;

async function recordOf(
  rule: string,
  subject: string,
  now: Alert | null,
  past: Past,
): Promise<AlertRecord> {
  const changes = await past.changes(rule, subject, 0, Number.MAX_SAFE_INTEGER);
  const [first] = await past.edits(rule);
  return new AlertRecord(now, changes, first?.at ?? null);
}

/** The keys of a rule, as its canonical text has them, that differ between a time and now. */
async function keysEdited(edits: readonly RuleChange[], at: number, past: Past): Promise<string[]> {
  const textOf = async (
    change: RuleChange | undefined,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const text =
      change === undefined || change.version === null ? null : await past.version(change.version);
    const parsed: unknown = text === null ? null : JSON.parse(text);
    return isMap(parsed) ? parsed : {};
  };
  const then = await textOf(edits.findLast((one) => one.at <= at));
  const now = await textOf(edits.at(-1));
  if (Object.keys(then).length === 0) return [];
  const keys = new Set([...Object.keys(then), ...Object.keys(now)]);
  return [...keys].filter((key) => JSON.stringify(then[key]) !== JSON.stringify(now[key]));
}

type GatesFrom = Pick<ExplainSources, "recorded" | "setup"> & { readonly past: Past };

/** What its gates said at a date, by what is written down of their alerts. */
async function gatesOf(
  { rule, subject }: ExplainAsked,
  date: number,
  from: GatesFrom,
): Promise<Pick<Situation, "gates" | "closedBy" | "quietBy">> {
  const { gates } = rule;
  const place = placesOf(rule).find((one) => one.subject.key === subject);
  if (gates === null || place === undefined) return { gates: [], closedBy: null, quietBy: null };
  const find = async (
    name: string,
    counts: (gate: GateAlert) => boolean | Promise<boolean>,
  ): Promise<boolean> => {
    const gate = from.setup.rules.find((one) => one.name === name);
    if (gate === undefined) return false;
    const keys = placesOf(gate).map((one) => one.subject.key);
    for (const key of new GateFinder(gate, keys).find(place, gates.anyChain)) {
      const record = await recordOf(name, key, await from.past.alert(name, key), from.past);
      const alert = record.at(date);
      if (alert === null || !isFiring(alert.state)) continue;
      if (await counts({ gate, subject: key, record, alert })) return true;
    }
    return false;
  };
  const onlyWhile: GateFound[] = [];
  for (const name of gates.onlyWhile) {
    onlyWhile.push({ name, key: "only_while", fires: await find(name, () => true) });
  }
  const unless: GateFound[] = [];
  for (const name of gates.unless) {
    const fires = await find(name, (one) => hasData(one, date, from));
    unless.push({ name, key: "unless", fires });
  }
  return {
    gates: [...onlyWhile, ...unless],
    closedBy: onlyWhile.find(({ fires }) => !fires)?.name ?? null,
    quietBy: unless.find(({ fires }) => fires)?.name ?? null,
  };
}

/** An alert of a gate, which fires. */
interface GateAlert {
  readonly gate: Rule;
  readonly subject: string;
  readonly record: AlertRecord;
  readonly alert: Alert;
}

/** Whether a firing alert is known to fire: without data for long it may be over, and keeps nobody quiet. */
async function hasData(
  { gate, subject, record, alert }: GateAlert,
  date: number,
  { recorded, setup, past }: GatesFrom,
): Promise<boolean> {
  if (notificationStateOf(alert).byMissing) return true;
  if (hasBeenMissing(gate, alert, date)) return false;
  // Since when it has none is written down only once that is told, in a round of its own.
  const [last] = await past.rounds(gate.name, date, 1);
  if (last === undefined) return true;
  const rounds = await roundsFound({
    rule: gate,
    rules: setup.rules,
    subject,
    kinds: KINDS,
    recorded,
    from: last.date - gate.missingAfterMs,
    to: last.date,
    alertAt: (at) => record.at(at),
  });
  const missing = rounds.at(-1)?.missing ?? null;
  return !hasBeenMissing(gate, { ...alert, missing }, date);
}

function silencesOf(
  { name, labels }: Rule,
  subject: string,
  at: number,
  all: readonly Silence[],
): readonly Silence[] {
  return all.filter(
    (one) => one.startsAt <= at && at < one.endsAt && matches(one, { rule: name, subject, labels }),
  );
}

async function outagesAt(at: number, past: Past): Promise<Explanation["outages"]> {
  const outages: OutageFound[] = [];
  for (const now of await past.alerts(SOURCE_RULE)) {
    const alert = (await recordOf(SOURCE_RULE, now.subject, now, past)).at(at);
    if (alert?.state !== "firing") continue;
    const { subject, label, since } = alert;
    outages.push({ scope: subject, name: label ?? subject, since });
  }
  return outages;
}
