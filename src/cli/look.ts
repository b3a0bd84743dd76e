import { setTimeout as pause } from "node:timers/promises";
import { startApp } from "../app.ts";
import { systemClock } from "../base/clock.ts";
import { valueToText } from "../base/decimal.ts";
import { SECOND } from "../base/duration.ts";
import { formatValue } from "../base/format.ts";
import { groupBy } from "../base/group-by.ts";
import { createLogger } from "../base/log.ts";
import { isBackfilling } from "../commit/backfill/histories.ts";
import type { JudgedContext } from "../decide/context.ts";
import { judgesEntries } from "../decide/decide-alert.ts";
import { FALSE, TRUE, type Truth, UNKNOWN_WINDOW } from "../decide/evaluation-context.ts";
import { type AlertEvent, calledBy } from "../decide/event.ts";
import type { Evidence } from "../decide/verdict.ts";
import { createHttpSource } from "../fetch/http.ts";
import type { Source } from "../fetch/source.ts";
import { KINDS } from "../kinds/index.ts";
import type { Description, Reading } from "../kinds/kind.ts";
import type { RoundRecord, Setup } from "../model/index.ts";
import { alertHeadline } from "../notices/headline/headline.ts";
import { labelsApart } from "../notices/wording.ts";
import { type HoldingsParts, lookAtOwners, type OwnersLook } from "../ops/holdings.ts";
import type { AlertMemory } from "../poll/memory.ts";
import type { DecidedWork } from "../poll/plan.ts";
import { writtenAs } from "../rules/describe/metric-words.ts";
import { memoryStores } from "../store/sqlite/store.ts";
import type { Io } from "./io.ts";
import { knownHoldings } from "./known-holdings.ts";
import { OwnService, reportLine } from "./own-service.ts";
import { secretsOf } from "./setup.ts";

/** What one rule says of one subject, seen once. */
export interface Seen {
  readonly rule: string;
  readonly subject: string;
  readonly name: string;
  readonly chainId: number;
  readonly metric: string | null;
  /** Exact; null: no data. */
  readonly value: string | null;
  readonly shown: string;
  readonly state: "firing" | "ok" | "no data" | "not known yet" | "priming";
  /** What would be told of it now, without `for` and what was told before; null: nothing. */
  readonly says: string | null;
  readonly trouble: string | null;
  readonly description: Description | null;
}

export interface Look {
  /** In the order of the rules and of their subjects. */
  readonly seen: readonly Seen[];
  /** Owners of whom it could not be read what they hold, and why; a line each. */
  readonly unread: readonly string[];
  readonly round: RoundRecord;
}

const STOPPED = "stopped before everything was answered";

/**
 * Asks once for everything on an empty store in memory. Nothing is kept and nobody is told.
 * Lists of owners' positions that are still being read are waited for, `patienceMs` at most. Throws an Error
 * when the user stops it.
 */
export async function lookOnce(
  setup: Setup,
  io: Io,
  patienceMs = READING_PATIENCE_MS,
): Promise<Look> {
  const stop = io.stop();
  if (stop.aborted) throw new Error(STOPPED);
  const log = createLogger({
    level: "silent",
    stream: { write: () => true },
    secrets: secretsOf(setup),
  });
  const decided: DecidedWork[] = [];
  const store = (await memoryStores())();
  const owners = await whatOwnersHold(
    setup,
    { kinds: KINDS, store, clock: systemClock(), log },
    io,
    {
      patienceMs,
      stop,
    },
  );
  const app = await startApp({
    // Without channels nobody is told of a look around.
    setup: { ...owners.setup, channels: [] },
    log,
    print: io.out,
    colours: io.colours,
    store,
    schedule: false,
    onDecided: (works) => decided.push(...works),
  });
  const stopEarly = (): void => void app.stop();
  stop.addEventListener("abort", stopEarly);
  const round = await app.rounds.once();
  stop.removeEventListener("abort", stopEarly);
  await app.stop();
  if (stop.aborted) throw new Error(STOPPED);
  const seen = apart(inOrder(decided.flatMap(seenOf), owners.setup));
  return { seen, unread: owners.troubles, round };
}

/** A list of an owner's positions is read from logs: on a chain of some age for minutes. */
const READING_PATIENCE_MS = 20 * SECOND;
const BEING_READ = /\d% read/;
const AGAIN_MS = SECOND;
const SAID_EVERY = 5;

/** What owners hold, once all that is being read is read or the patience is over; how far it is is told meanwhile. */
async function whatOwnersHold(
  setup: Setup,
  parts: HoldingsParts,
  io: Io,
  { patienceMs, stop }: { readonly patienceMs: number; readonly stop: AbortSignal },
): Promise<OwnersLook> {
  const { clock } = parts;
  const begun = clock.elapsed();
  const known = await knownHoldings(setup);
  const open = ({ service }: Setup): Source => createHttpSource({ ...service, log: () => {} });
  for (let looks = 1; ; looks += 1) {
    const look = await lookAtOwners(setup, known, open, parts);
    const reading = look.troubles.filter((line) => BEING_READ.test(line));
    if (reading.length === 0 || clock.elapsed() - begun >= patienceMs) return look;
    if (looks % SAID_EVERY === 0) for (const line of reading) io.err(`${line}\n`);
    await pause(AGAIN_MS, undefined, { signal: stop }).catch(() => {});
    if (stop.aborted) throw new Error(STOPPED);
  }
}

/** Names of one rule that read alike say their chain as well. */
function apart(seen: readonly Seen[]): Seen[] {
  const byRule = groupBy(seen, (one) => one.rule);
  const names = new Map<Seen, string>();
  for (const all of byRule.values()) {
    const labels = labelsApart(
      all.map(({ name, chainId }) => ({ label: name, subject: { chainId } })),
    );
    for (const [i, one] of all.entries()) names.set(one, labels[i] ?? one.name);
  }
  return seen.map((one) => ({ ...one, name: names.get(one) ?? one.name }));
}

/** Answers came in any order; people look for what they wrote where they wrote it. */
function inOrder(seen: readonly Seen[], { rules }: Setup): Seen[] {
  const places = rules.flatMap(({ name, subjects }) => [
    name,
    ...subjects.map(({ key }) => `${name}\n${key}`),
  ]);
  const order = new Map(places.map((place, index) => [place, index]));
  const placeOf = ({ rule, subject }: Seen): number =>
    order.get(`${rule}\n${subject}`) ?? order.get(rule) ?? 0;
  return seen.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function seenOf({ work, reading, decision }: DecidedWork): Seen[] {
  const said = reading.describe();
  return work.due.map((memory, index): Seen => {
    const { subject } = memory;
    const named = calledBy(subject.name, said);
    const description = reading.rows.length === 0 ? null : named;
    const { rule } = memory.watched;
    const verdict = decision.alerts[index]?.verdict ?? null;
    const evidence = verdict?.evidence() ?? null;
    // Of swaps and the like the first list is what later ones are compared with: nothing to tell, and no want of data.
    const quiet = judgesEntries(memory.watched) && reading.trouble === null;
    const state = quiet
      ? "ok"
      : stateOf(verdict?.truth ?? null, isBackfilling(work.subject, rule.when));
    const fires = state === "firing" && verdict !== null;
    return {
      rule: rule.name,
      subject: memory.subject.key,
      name: named.label || (subject.name ?? subject.key),
      chainId: subject.chainId,
      metric: evidence?.comparison.metric ?? null,
      value: valueToText(evidence?.value ?? null),
      shown:
        evidence === null || verdict === null ? "" : shown(evidence, verdict.context, description),
      state,
      says: fires ? headline(memory, reading, verdict.context, evidence, description) : null,
      trouble: state === "no data" ? reading.trouble : null,
      description,
    };
  });
}

function stateOf(truth: Truth | null, priming: boolean): Seen["state"] {
  if (truth === TRUE) return "firing";
  if (truth === FALSE) return "ok";
  if (truth !== UNKNOWN_WINDOW) return "no data";
  // A daemon fills such a window from the history.
  return priming ? "priming" : "not known yet";
}

function shown(
  { value, metric }: Evidence,
  context: JudgedContext,
  description: Description | null,
): string {
  const as = writtenAs(metric, context.decimals(metric.name), description, 12);
  // Whoever keeps a token's books looks for its last unit.
  const raw = metric.quantity.startsWith("raw");
  return raw ? formatValue(value, as, "full") : formatValue(value, as);
}

function headline(
  { watched, subject, alert }: AlertMemory,
  reading: Reading,
  context: JudgedContext,
  evidence: Evidence | null,
  description: Description | null,
): string | null {
  if (alert === null) return null;
  const { bucketMs } = watched.kind;
  const event: AlertEvent = {
    kind: "fired",
    rule: watched.rule,
    subject,
    at: context.date,
    before: alert,
    after: alert,
    evidence,
    also: [],
    bucket: bucketMs === null ? null : { start: context.date, ms: bucketMs },
    description,
    decimals: (metric) => context.decimals(metric),
    closed: reading.closed,
    trouble: reading.trouble,
  };
  return alertHeadline(event);
}

/**
 * Asks the service once for everything; what is wrong in one line if it does not take the key. Throws an
 * Error when the user stops it.
 */
export async function askAll(setup: Setup, io: Io): Promise<Look | string> {
  return (await askKey(setup)) ?? (await lookOnce(setup, io));
}

/** The same of a service that may be the daemon's own: what its nodes say goes to `io.err`. */
export async function withOwnService<Result>(
  setup: Setup,
  io: Io,
  look: (setup: Setup, own: OwnService) => Promise<Result>,
): Promise<Result> {
  const own = new OwnService((level, message, fields) => {
    if (level === "warn") io.err(`warning: ${reportLine(message, fields)}\n`);
  });
  const { rpc } = setup.service;
  // A daemon may be at work on the database.
  const service = rpc ? { ...setup.service, rpc: { ...rpc, data: null } } : setup.service;
  try {
    return await look(await own.serve({ ...setup, service }), own);
  } finally {
    await own.close();
  }
}

/** Whether the service takes the key; null if it does, else what is wrong in one line. */
async function askKey({ service }: Setup): Promise<string | null> {
  // Only the current family can be asked; what the round gets shows it as well.
  if (service.baseUrl === null) return null;
  const source = createHttpSource({ ...service, log: () => {} });
  try {
    const verdict = await source.verify(AbortSignal.timeout(service.timeoutMs));
    if (verdict === "valid") return null;
    if (verdict === "invalid") {
      return "the service rejects the API key; see service.api_key in the configuration";
    }
    return `the service cannot be reached: ${verdict.detail}; see service.base_url in the configuration`;
  } finally {
    await source.close();
  }
}
