import { systemClock } from "../base/clock.ts";
import { DAY, HOUR } from "../base/duration.ts";
import { countOf } from "../base/text.ts";
import { SourceAffinity } from "../commit/source-affinity.ts";
import { createHttpSource } from "../fetch/http.ts";
import { KINDS } from "../kinds/index.ts";
import type { Rule, Setup } from "../model/index.ts";
import { needsByKey, needsOf } from "../replay/past/needs.ts";
import { recordedMetrics, recordedTracks } from "../replay/past/recorded-tracks.ts";
import { type HistoryCache, openHistoryCache } from "../store/operator-db/history-cache.ts";
import type { Recorded } from "../store/operator-db/recorded.ts";
import { StoreError } from "../store/store.ts";
import { MOST_PAGES } from "./backtest-lists.ts";
import { AskProgress } from "./backtest-progress.ts";
import type { Span, Told } from "./backtest-run.ts";
import { countRequests, fetchTold } from "./backtest-service.ts";
import type { Io } from "./io.ts";

/** What the service tells of what was not recorded; null: only the plan is asked for, and it is said. */
export async function askService(
  rules: readonly Rule[],
  setup: Setup,
  recorded: Recorded | null,
  span: Span,
  options: { readonly plan?: boolean; readonly json?: boolean },
  io: Io,
  stop: AbortSignal,
): Promise<Told | null> {
  const all = rules.map((rule) => needsOf(rule, KINDS));
  const needs = needsByKey(all, await recordedMetrics(recorded, all));
  const tracks = recorded === null ? null : await recordedTracks(needs, recorded);
  const lookBackMs = all.reduce((most, one) => Math.max(most, one.lookBackMs), 0);
  const from = span.from - lookBackMs - DAY;
  // What was recorded all along need not be asked for.
  const open = [...needs.values()].filter(({ subject, kind }) => {
    if (kind.pastList !== undefined) return true;
    const its = tracks?.get(subject.key)?.span ?? null;
    return its === null || its.first > span.from + HOUR || its.last < span.to - DAY;
  });
  if (open.length === 0 && options.plan !== true) return NOTHING;
  const http = createHttpSource({ ...setup.service, log: () => {} });
  // What one family does not know the other one is asked, as by a daemon.
  const source = new SourceAffinity(http, systemClock()).watch();
  const cache = await openCache(setup, options.plan !== true, io);
  try {
    if (options.plan === true) {
      const { today, histories, cached, lists } = await countRequests(open, {
        from,
        to: span.to,
        source,
        cache,
      });
      if (options.json === true) {
        const plan = {
          requests_at_most: today + histories,
          for_names: today,
          for_histories: histories,
          histories_kept: cached,
          lists,
        };
        io.out(`${JSON.stringify(plan)}\n`);
        return null;
      }
      const kept =
        cached === 0
          ? ""
          : `; ${countOf(cached, "history")} is kept already`.replace(
              "historys is",
              "histories are",
            );
      const each = `${today} for names and decimals, ${histories} for histories`;
      const pages =
        lists === 0
          ? ""
          : `; besides, ${countOf(lists, "list")} of entries, ` +
            `1,000 a page, as many as there are since then, at most ${MOST_PAGES} pages each`;
      io.out(`at most ${countOf(today + histories, "request")}: ${each}${kept}${pages}\n`);
      return null;
    }
    const progress = new AskProgress(io);
    const fetched = await fetchTold(open, {
      from,
      to: span.to,
      // What they are compared with is known from hour to hour.
      entriesFrom: span.from - HOUR,
      source,
      cache,
      stop,
      onRequest: (done, of) => progress.asked(done, of),
      onList: (key, share) => progress.list(key, share),
    });
    progress.end();
    for (const failure of stop.aborted ? [] : fetched.failures) {
      io.err(
        `warning: a request failed: ${failure}; what was fetched is kept, and the next backtest goes on from there\n`,
      );
    }
    return fetched;
  } finally {
    cache?.close();
    await source.close();
  }
}

/** What was fetched before and is kept; null: it cannot be, and then each backtest asks for all of it. */
async function openCache(
  { store, retentionMs }: Setup,
  make: boolean,
  io: Io,
): Promise<HistoryCache | null> {
  try {
    const cache = await openHistoryCache(store, systemClock().now() - retentionMs, make);
    if (cache === null) return null;
    let isBroken = false;
    return {
      ...cache,
      put: async (key, history, now) => {
        try {
          if (!isBroken) await cache.put(key, history, now);
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          // Several may be on their way.
          if (!isBroken) io.err(`warning: cannot keep what is fetched: ${error.message}\n`);
          isBroken = true;
        }
      },
    };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    io.err(`warning: cannot keep what is fetched: ${error.message}\n`);
    return null;
  }
}

const NOTHING: Told = {
  histories: new Map(),
  facts: new Map(),
  lists: new Map(),
  untold: new Map(),
  failures: [],
};
