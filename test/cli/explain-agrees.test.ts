import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { comparisonsOf } from "../../src/decide/condition-tree.ts";
import { isCompleted, isFiring } from "../../src/decide/notification-state.ts";
import { valueToText } from "../../src/decide/runtime.ts";
import type { Alert, Rule } from "../../src/model/index.ts";
import { type Explanation, explanationOf, isOfEntries } from "../../src/ops/explain-facts.ts";
import { answer } from "../../src/replay/explain/answer.ts";
import { known, type Part } from "../../src/replay/explain/part.ts";
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
            for (const { decision } of works) {
              const minute = (decision.round.now - START) / MINUTE;
              for (const { alert, truth, verdict } of decision.alerts) {
                const { context } = verdict;
                const metrics = comparisonsOf(verdict.rule.when).map(({ metric }) => metric);
                const values = new Map(
                  metrics.map((metric) => [metric, valueToText(context.value(metric))]),
                );
                decided.set(keyOf(minute, alert.rule, alert.subject), {
                  truth: known(truth),
                  values,
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
              const { said, live: truth } = compared(found, one, rule, own);
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
  if (isOfEntries(rule) || round === undefined) return { said, live };
  const last = situation.rounds.at(-1);
  // What a good answer had nothing of leaves no sample.
  if (last?.date !== situation.lastRound) {
    return { said: { ...said, truth: "unknown" }, live: { ...live, truth: round.truth } };
  }
  const values = leavesOf(last?.when ?? null, rule).map(([metric, part]) => [metric, part.value]);
  return {
    said: { ...said, truth: last?.truth, values },
    live: {
      ...live,
      truth: round.truth,
      values: values.map(([metric]) => [metric, round.values.get(metric ?? "") ?? null]),
    },
  };
}

const FIRING: ReadonlySet<string> = new Set(["fired", "flapping"]);
