import { DAY } from "../../base/duration.ts";
import type { Run, Severity } from "../../model/index.ts";
import type { RuleMemory } from "../../poll/memory.ts";
import { type Around, alertView, iso } from "../live/alert-view.ts";
import { comparedOf } from "../live/compared.ts";
import { listsOf } from "../live/overview.ts";
import { RECENT_STEP_MS } from "../live/recent.ts";
import { recordView } from "../live/record-view.ts";
import { FiringRibbon } from "../live/ribbon.ts";
import type { Row } from "../live/row.ts";
import { selectByRule, selectRows } from "../live/select.ts";
import type { Snapshot } from "../live/snapshot.ts";
import { watchView } from "../live/watch.ts";
import { limitsOn } from "../read/limits.ts";
import { ruleDetail, ruleSummary } from "../read/rule-view.ts";
import { spansOf } from "../read/timeline.ts";
import { Answers } from "./answers.ts";
import type { Api } from "./api.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import type { ApiParts } from "./parts.ts";
import type { Alert, AlertDetail, AlertList, Recent } from "./schemas/alerts.ts";
import type { Overview } from "./schemas/overview.ts";
import type { RuleSummary } from "./schemas/rules.ts";

/** Series of which one request reads the last day from the store; the others come with the next one. */
const MOST_LOADED = 40;
/** Comments of acknowledgements that one answer waits for. */
const MOST_COMMENTS = 1_000;

function commentKey(rule: string, subject: string, since: number): string {
  return JSON.stringify([rule, subject, since]);
}
const NO_RUNS: ReadonlyMap<number, readonly Run[]> = new Map();

/** The part of the API that says how everything is now. */
export type LiveApi = Pick<Api, "overview" | "alerts" | "alert" | "rules" | "rule"> & {
  /** What is shown beside alerts, looked up anew. */
  around(): Promise<Around>;
  snapshot(): Promise<Snapshot>;
};

export function liveApi(parts: ApiParts): LiveApi {
  const { live, clock, self, silences, db } = parts;
  const ribbon = new FiringRibbon();
  const comments = new Map<string, string | null>();
  // Ten open pages ask for the same within the same second, in which a round may go on.
  const overviews = new Answers<Overview>(clock);
  const lists = new Answers<AlertList>(clock);

  async function around(): Promise<Around> {
    await silences.refresh();
    return await aroundNow();
  }

  /** The comments are found out before, since nothing is waited for while alerts are shown. */
  async function aroundNow(): Promise<Around> {
    await learnComments();
    return {
      now: clock.now(),
      silences: silences.list,
      ackComment(rule, subject) {
        const since = live.find(rule, subject)?.memory.alert?.life?.acked?.at ?? 0;
        return comments.get(commentKey(rule, subject, since)) ?? null;
      },
    };
  }

  /** Of the acknowledgements that are in force what is not known yet, so many at a time. */
  async function learnComments(): Promise<void> {
    const wanted: { readonly key: string; readonly rule: string; readonly subject: string }[] = [];
    for (const { memory } of live.rows) {
      const acked = memory.alert?.life?.acked ?? null;
      if (memory.alert === null || acked === null) continue;
      const { rule, subject } = memory.alert;
      const key = commentKey(rule, subject, acked.at);
      if (!comments.has(key) && wanted.length < MOST_COMMENTS) wanted.push({ key, rule, subject });
    }
    if (wanted.length === 0) return;
    if (comments.size > 5_000) comments.clear();
    await db.glance(async ({ history }) => {
      for (const { key, rule, subject } of wanted) {
        comments.set(key, await history.ackComment(rule, subject));
      }
    });
  }

  async function snapshot(): Promise<Snapshot> {
    await silences.refresh();
    const made = live.snapshot();
    const { counts, at } = made;
    if (ribbon.isBegun) ribbon.count(counts.firing_by, at);
    else {
      const changes = await db.glance(({ history }) => history.statesSince(at - DAY));
      const severities = new Map<string, Severity>();
      for (const { rule } of parts.memory().rules) severities.set(rule.name, rule.severity);
      const severityOf = (rule: string): Severity | null => severities.get(rule) ?? null;
      ribbon.begin(changes ?? [], severityOf, counts.firing_by, at);
    }
    return made;
  }

  /** Adds the last day of the metric that speaks for an alert, as far as it was read. */
  async function addRecent(
    shown: readonly { readonly row: Row; readonly alert: Alert }[],
  ): Promise<void> {
    const now = clock.now();
    const wanted = new Map<number, number | null>();
    for (const { row } of shown) {
      const id = seriesOf(row)?.id;
      if (id !== undefined && !parts.recent.has(id) && wanted.size < MOST_LOADED)
        wanted.set(id, row.memory.owner.kind.bucketMs);
    }
    if (wanted.size > 0) {
      const runs = await parts.store.window([...wanted.keys()], now - DAY).catch(() => NO_RUNS);
      for (const [id, bucketMs] of wanted) parts.recent.load(id, runs.get(id) ?? [], now, bucketMs);
    }
    for (const { row, alert } of shown) alert.recent = await recentOf(row, now);
  }

  /** Adds what was told last of rules that tell of entries: there is no value to show of them. */
  async function addTold(shown: readonly Alert[]): Promise<void> {
    for (const { rule, subject, entries } of shown) {
      if (entries === null) continue;
      const span = { from: 0, to: clock.now(), most: 1 };
      const [found] =
        (await db.glance(({ history }) =>
          history.notices({ rule, subject, kind: "changed", ...span }),
        )) ?? [];
      if (found === undefined) continue;
      const { headline, at } = found.notice;
      entries.last = { headline, at: iso(at) };
    }
  }

  async function recentOf(row: Row, now: number): Promise<Recent | null> {
    const series = seriesOf(row);
    const view = series === null ? null : parts.recent.view(series.id, now);
    if (series === null || view === null) return null;
    const firing = await firingOf(row, view.from, now);
    const decimals = row.seen?.decimals[series.metric] ?? null;
    const [limit] = limitsOn(row.memory, series.metric, decimals);
    return {
      metric: series.metric,
      from: iso(view.from),
      to: iso(now),
      step_ms: RECENT_STEP_MS,
      bucket_ms: row.memory.owner.kind.bucketMs,
      points: view.points,
      firing,
      resolve: limit?.resolve ?? [],
    };
  }

  /** When an alert fired since then; of one that has been as it is for longer nothing is read. */
  async function firingOf({ memory }: Row, from: number, now: number): Promise<Recent["firing"]> {
    const { alert } = memory;
    if (alert === null) return [];
    const { rule, subject, state, since } = alert;
    if (since < from) return state === "firing" ? [{ from: iso(from), to: null }] : [];
    const states = await db.glance(({ history }) => history.states(rule, subject, from, now));
    const spans = spansOf(states ?? [], from, now).filter((span) => span.state === "firing");
    return spans.map((span) => ({ from: span.from, to: span.to }));
  }

  function summaryOf(memory: RuleMemory, place: number, made: Snapshot): RuleSummary {
    const counts = made.rules[place] ?? { firing: 0, pending: 0, recovering: 0, no_data: 0, ok: 0 };
    return ruleSummary(memory, counts, self.late().includes(memory));
  }

  return {
    around,
    snapshot,

    overview: () =>
      overviews.get("overview", live.snapshot().version, async () => {
        const made = await snapshot();
        const beside = await aroundNow();
        const rows = new Map<Alert, Row>();
        const first = listsOf(made, (row) => {
          live.watch(row);
          const view = alertView(row, beside);
          rows.set(view, row);
          return view;
        });
        await addTold([...rows.keys()]);
        const pictured = [...first.firing.first, ...first.held_back.first];
        await addRecent(
          pictured.flatMap((alert) => {
            const row = rows.get(alert);
            return row === undefined ? [] : [{ row, alert }];
          }),
        );
        return {
          version: made.version,
          at: iso(made.at),
          watch: watchView(parts.memory(), made, self, clock.now()),
          counts: made.counts,
          ribbon: ribbon.view(clock.now()),
          ...first,
        };
      }),

    alerts: (query) =>
      lists.get(JSON.stringify(query), live.snapshot().version, async () => {
        // Places are found out with the snapshot.
        await snapshot();
        const beside = await aroundNow();
        const { per_rule: most } = query;
        const { rows, ...about } =
          most === undefined ? selectRows(live.rows, query) : selectByRule(live.rows, query, most);
        const shown = rows.map((row) => {
          live.watch(row);
          return { row, alert: alertView(row, beside) };
        });
        if (query.include === "recent") await addRecent(shown);
        const found = shown.map(({ alert }) => alert);
        await addTold(found);
        return { alerts: found, ...about };
      }),

    async alert({ rule, subject }) {
      const row = live.find(rule, subject);
      if (row === null) return null;
      live.watch(row);
      await snapshot();
      const beside = await aroundNow();
      const alert = alertView(row, beside);
      await addRecent([{ row, alert }]);
      await addTold([alert]);
      return detailOf(row, alert);
    },

    async rules({ q, limit, cursor }) {
      const made = await snapshot();
      const [after = 0] = cursor === undefined ? [0] : decodeCursor(cursor, 1);
      const words = (q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
      const all = [...parts.memory().rules.entries()].filter(([, { rule }]) => {
        const text = `${rule.name}\n${rule.title ?? ""}\n${rule.kind}`.toLowerCase();
        return words.every((word) => text.includes(word));
      });
      const page = all.slice(after, after + limit);
      return {
        rules: page.map(([place, memory]) => summaryOf(memory, place, made)),
        total: all.length,
        next: after + limit < all.length ? encodeCursor([after + limit]) : null,
      };
    },

    async rule(name) {
      const made = await snapshot();
      const { rules } = parts.memory();
      const place = rules.findIndex(({ rule }) => rule.name === name);
      const memory = rules[place];
      if (memory === undefined) return null;
      const summary = summaryOf(memory, place, made);
      return await ruleDetail(memory, summary, parts.readAt(), clock.now());
    },
  };
}

/** The series of what speaks for an alert, or of the first metric that its rule names. */
function seriesOf({ seen, memory }: Row): { readonly id: number; readonly metric: string } | null {
  const { series } = memory.owner;
  const spoken = seen?.evidence?.metric.name;
  const named = memory.watched.rule.metrics;
  return (
    series.find(({ metric }) => metric === spoken) ??
    series.find(({ metric }) => named.includes(metric)) ??
    null
  );
}

function detailOf(row: Row, alert: Alert): AlertDetail {
  const { memory, seen } = row;
  const { owner, watched } = memory;
  const { rule, kind } = watched;
  const labelOf = (metric: string): string => kind.metrics.get(metric)?.label ?? metric;
  return {
    alert,
    comparisons:
      seen === null || seen.evidence === null
        ? []
        : [
            comparedOf(seen.evidence, seen),
            ...seen.others.map((one) => comparedOf(one, seen, false)),
          ],
    record: recordView(memory, seen),
    record_whole: seen !== null && seen.record !== null,
    record_block: seen?.record?.block ?? null,
    title: rule.title,
    note: rule.note,
    also: owner.alerts
      .filter((one) => one !== memory)
      .slice(0, 50)
      .map((one) => ({ rule: one.watched.rule.name, state: one.alert?.state ?? "ok" })),
    metrics: owner.series.map(({ metric }) => ({ metric, label: labelOf(metric) })),
  };
}
