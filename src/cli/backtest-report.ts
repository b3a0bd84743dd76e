import type { Firing } from "../replay/past/firings.ts";
import type { BacktestReport } from "./backtest-page.ts";
import { lastedMs } from "./backtest-summary.ts";
import { csvCell, iso } from "./report.ts";

/** `--json`: all that was found, with exact values as strings. */
export function reportJson({ replayed, summaries, messages }: BacktestReport): unknown {
  const { from, to, until, rounds, inferred, tookMs } = replayed;
  return {
    from: iso(from),
    to: iso(to),
    until: iso(until),
    rounds,
    inferred_rounds: inferred,
    took_ms: tookMs,
    rules: summaries.map(
      ({ support, firings, perWeek, firingMs, longestMs, share, flapping, told }) => ({
        rule: support.name,
        replayed: support.rule !== null,
        source: support.source === "" ? null : support.source,
        refusal: support.refusal,
        alerts: firings.length,
        alerts_per_week: Number(perWeek.toFixed(2)),
        firing_seconds: firingMs / 1_000,
        firing_share: Number(share.toFixed(6)),
        longest_seconds: longestMs / 1_000,
        flapping,
        notices: Object.fromEntries(told),
        firings: firings.map((one) => firingJson(one, until)),
      }),
    ),
    messages:
      messages?.map(({ channel, messages: sent, notices, dropped }) => ({
        channel,
        messages: sent,
        notices,
        dropped,
      })) ?? null,
  };
}

function firingJson(firing: Firing, until: number) {
  const { subject, label, start, end, event, metric, first, extreme, notices } = firing;
  return {
    subject,
    name: label,
    start: iso(start),
    end: iso(end),
    seconds: lastedMs(firing, until) / 1_000,
    event,
    metric,
    first,
    extreme,
    notices: notices.map(({ kind, at, headline }) => ({ kind, at: iso(at), headline })),
  };
}

/** `--csv`: one line for each firing or event, with exact values and what would have been said first. */
export function reportCsv({ replayed, summaries }: BacktestReport): string {
  const lines = summaries.flatMap(({ firings }) =>
    firings.map((one) => {
      const { rule, subject, label, start, end, metric, first, extreme, notices } = one;
      const seconds = String(lastedMs(one, replayed.until) / 1_000);
      const said = notices[0]?.headline ?? "";
      const cells = [
        rule,
        subject,
        label,
        iso(start),
        iso(end),
        seconds,
        metric,
        first,
        extreme,
        said,
      ];
      return cells.map((text) => csvCell(text ?? "")).join(",");
    }),
  );
  const head = "rule,subject,name,start,end,seconds,metric,first,extreme,headline";
  return [head, ...lines, ""].join("\n");
}
