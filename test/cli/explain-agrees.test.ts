import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { valueToText } from "../../src/base/decimal.ts";
import { explanationPage } from "../../src/cli/explain-page.ts";
import { Routing } from "../../src/config/routes/routing.ts";
import { comparisonsOf } from "../../src/decide/condition-tree.ts";
import {
  hasBeenMissing,
  isCompleted,
  isFiring,
  notificationStateOf,
  viewOf,
} from "../../src/decide/notification-state.ts";
import type { AlertRuntime, Gate } from "../../src/decide/runtime.ts";
import type { Alert, Rule, Setup } from "../../src/model/index.ts";
import { type Explanation, explanationOf, isOfEntries } from "../../src/ops/explain-facts.ts";
import { answer } from "../../src/replay/explain/answer.ts";
import { known, type Part } from "../../src/replay/explain/part.ts";
import type { GateFound } from "../../src/replay/explain/situation.ts";
import { openOperatorDb } from "../../src/store/operator-db/operator-db.ts";
import { openRecorded } from "../../src/store/operator-db/recorded.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { answersOf, anyTracks } from "../support/any-answers.ts";
import { anyRules, plainWording, yamlOf } from "../support/any-rules.ts";
import { WHOLE } from "../support/tier.ts";
import { MINUTE, START, World } from "../support/world.ts";
import { setupOf } from "../support/world-setup.ts";

const MINUTES = 40;
/** Questions of one world; together 1,000 where all tests run. */
const QUESTIONS = 20;
const WORLDS = Number(process.env.RUNS ?? (WHOLE ? 50 : 2));

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tickwatch-explain-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** What the daemon itself had at the end of a minute. */
interface Live {
  readonly minute: number;
  readonly rule: string;
  readonly subject: string;
  readonly alert: Alert;
}

/** What the daemon decided in a round. */
interface LiveRound {
  readonly truth: string;
  /** By metric. */
  readonly values: ReadonlyMap<string, string | null>;
  readonly gates: readonly GateFound[];
  readonly isClosed: boolean;
  readonly isQuiet: boolean;
}

function keyOf(minute: number, rule: string, subject: string): string {
  return `${minute} ${rule} ${subject}`;
}

/** The leaves of a condition's tree. */
function leavesOf(
  part: Part | null,
  rule: Rule,
): readonly (readonly [metric: string, part: Part])[] {
  const leaves = (one: Part): readonly Part[] =>
    one.parts.length > 0 ? one.parts.flatMap(leaves) : [one];
  const metrics = comparisonsOf(rule.when).map(({ metric }) => metric);
  return (part === null ? [] : leaves(part)).map((one, i) => [metrics[i] ?? "", one] as const);
}

/** Each gate of an alert by itself, as the round saw it. */
function gatesSeen(
  { gates }: AlertRuntime,
  date: number,
  latest: (one: AlertRuntime) => Alert | null,
): readonly GateFound[] {
  const seen = (key: GateFound["key"], { rule, alerts }: Gate): GateFound => {
    const fires = alerts.some((one) => {
      const alert = latest(one);
      if (alert === null || !isFiring(alert.state)) return false;
      if (key === "only_while" || notificationStateOf(alert).byMissing) return true;
      return !hasBeenMissing(rule, alert, date);
    });
    return { name: rule.name, key, fires };
  };
  return [
    ...(gates?.onlyWhile ?? []).map((gate) => seen("only_while", gate)),
    ...(gates?.unless ?? []).map((gate) => seen("unless", gate)),
  ];
}

describe("tickwatch explain", () => {
  it("says of any alert at any time what the daemon decided and told then", async () => {
    const restarts = fc.array(fc.nat(MINUTES - 1), { maxLength: 3 });
    const asked = fc.array(fc.tuple(fc.nat(MINUTES - 1), fc.nat(1_000)), {
      minLength: QUESTIONS,
      maxLength: QUESTIONS,
    });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        anyRules,
        anyTracks(MINUTES),
        restarts,
        asked,
        async (rules, tracks, at, questions) => {
          count += 1;
          const path = join(folder, `${count}.db`);
          const store = await openSqliteStore(path);
          const yaml = yamlOf(rules, plainWording(rules));
          const live: Live[] = [];
          const decided = new Map<string, LiveRound>();
          const world = await World.create(yaml, { store, answer: answersOf(tracks, START) });
          world.onDecided = (works) => {
            const fresh = new Map<AlertRuntime, Alert>();
            for (const { work, decision } of works) {
              for (const [i, { alert }] of decision.alerts.entries()) {
                const watched = work.due[i];
                if (watched !== undefined) fresh.set(watched, alert);
              }
            }
            for (const { decision } of works) {
              const minute = (decision.round.now - START) / MINUTE;
              for (const { alert, truth, verdict } of decision.alerts) {
                const { context } = verdict;
                const metrics = comparisonsOf(verdict.rule.when).map(({ metric }) => metric);
                const values = new Map(
                  metrics.map((metric) => [metric, valueToText(context.value(metric))]),
                );
                const { gates } = context.watched;
                const date = decision.round.now;
                const latest = (one: AlertRuntime): Alert | null => fresh.get(one) ?? one.alert;
                const { closedBy, quiet } = viewOf(gates, date, latest);
                decided.set(keyOf(minute, alert.rule, alert.subject), {
                  truth: known(truth),
                  values,
                  gates: gatesSeen(context.watched, date, latest),
                  isClosed: closedBy !== null,
                  isQuiet: quiet,
                });
              }
            }
          };
          await world.run(0);
          for (let minute = 0; minute < MINUTES; minute += 1) {
            for (const { rule, alerts } of world.rounds.memory.rules) {
              for (const { alert, subject } of alerts) {
                if (alert !== null)
                  live.push({ minute, rule: rule.name, subject: subject.key, alert });
              }
            }
            if (at.includes(minute)) await world.restart();
            await world.run(MINUTE);
          }
          await world.stop();
          await store.close();
          const db = await openOperatorDb(path, false);
          const recorded = await openRecorded(path);
          if (db === null || recorded === null) throw new Error("nothing was recorded");
          const setup = setupOf(yaml);
          try {
            for (const [minute, place] of questions) {
              const alerts = live.filter((one) => one.minute === minute);
              const one = alerts[place % alerts.length];
              const rule = setup.rules.find(({ name }) => name === one?.rule);
              if (one === undefined || rule === undefined) continue;
              const when = START + minute * MINUTE;
              const found = await explanationOf(
                { rule, subject: one.subject, name: "It", at: when, isNow: false },
                { db, recorded, setup },
              );
              const own = decided.get(keyOf(minute, one.rule, one.subject));
              const { said, live: truth } = compared(found, one, rule, own, setup);
              expect(said).toEqual(truth);
            }
          } finally {
            db.close();
            recorded.close();
            await rm(path, { force: true });
          }
        },
      ),
      {
        numRuns: WORLDS,
        endOnFailure: true,
        ...(process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }),
      },
    );
  });
});

/** What the explanation says, and what it should say. */
function compared(
  found: Explanation,
  { alert, minute }: Live,
  rule: Rule,
  round: LiveRound | undefined,
  setup: Setup,
): { readonly said: unknown; readonly live: unknown } {
  const { situation, notices } = found;
  const sentence = answer(situation);
  const about = `minute ${minute}, ${rule.name} (${rule.kind}) ${rule.source}: ${sentence}`;
  const isTold = alert.lastNotified.state === "firing" && isFiring(alert.state);
  const kinds = notices.map(({ notice }) => notice.kind);
  const said = {
    about,
    state: situation.alert?.state,
    firedAt: situation.alert?.firedAt,
    told: situation.alert?.lastNotified,
    fires: rule.event || isCompleted(alert) ? null : /^It (fired|was firing)/.test(sentence),
    notice: isTold && rule.notify.length > 0 ? kinds.some((kind) => FIRING.has(kind)) : null,
  };
  const { state, firedAt, lastNotified: told } = alert;
  const live = {
    about,
    state,
    firedAt,
    told,
    fires: said.fires === null ? null : isFiring(state),
    notice: said.notice === null ? null : true,
  };
  if (round === undefined) return { said, live };
  const seen = {
    said: {
      ...said,
      gates: situation.gates,
      isClosed: situation.closedBy !== null,
      isQuiet: situation.quietBy !== null,
      lines: pageOf(found, setup)
        .split("\n")
        .filter((line) => line.startsWith("  gate ")),
    },
    live: {
      ...live,
      gates: round.gates,
      isClosed: round.isClosed,
      isQuiet: round.isQuiet,
      lines: round.gates.map(
        ({ name, key, fires }) => `  gate ${name} (${key}): ${GATE_WORDS[key][fires ? 0 : 1]}`,
      ),
    },
  };
  if (isOfEntries(rule)) return seen;
  const last = situation.rounds.at(-1);
  // What a good answer had nothing of leaves no sample.
  if (last?.date !== situation.lastRound) {
    return {
      said: { ...seen.said, truth: "unknown" },
      live: { ...seen.live, truth: round.truth },
    };
  }
  const values = leavesOf(last?.when ?? null, rule).map(([metric, part]) => [metric, part.value]);
  return {
    said: { ...seen.said, truth: last?.truth, values },
    live: {
      ...seen.live,
      truth: round.truth,
      values: values.map(([metric]) => [metric, round.values.get(metric ?? "") ?? null]),
    },
  };
}

const GATE_WORDS = {
  only_while: ["firing, so it is open", "not firing, so it is closed"],
  unless: ["firing, so notices wait", "not firing"],
} as const;

function pageOf(found: Explanation, setup: Setup): string {
  const { rule, at } = found.situation;
  const routing = new Routing(null, rule.notify);
  routing.resolve(rule, null);
  return explanationPage(found, routing, setup, at);
}

const FIRING: ReadonlySet<string> = new Set(["fired", "flapping"]);
