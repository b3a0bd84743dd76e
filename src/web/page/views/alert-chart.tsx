import { DAY, HOUR } from "../../../base/duration.ts";
import type { Alert, AlertDetail } from "../../api/schemas/alerts.ts";
import type { Samples, States, Timeline } from "../../api/schemas/history.ts";
import type { RuleDetail } from "../../api/schemas/rules.ts";
import { axisText, firstForm, type ValueForm } from "../format/form.ts";
import { alertPath, capital, cut } from "../format/words.ts";
import { changeLevel, numberOf, windowOf } from "../parts/alert-picture.tsx";
import { SpanChoice, spacedSpan } from "../parts/blocks.tsx";
import { type Band, Bands, BandsLegend } from "../pictures/bands.tsx";
import { Chart } from "../pictures/chart.tsx";
import type { LimitLine } from "../pictures/marks.tsx";
import { gapFrom, type Point, type Span } from "../pictures/scale.ts";

export interface AlertData {
  readonly detail: AlertDetail;
  readonly rule: RuleDetail | null;
  readonly samples: Samples | null;
  readonly states: States | null;
  readonly timeline: Timeline | null;
  /** Which span is shown. */
  readonly span: string;
  /** Where the timeline goes on from; null: it begins with the newest. */
  readonly cursor: string | null;
}

/** What a chart may span, by the word in the address. */
export const SPANS: Readonly<Record<string, number>> = {
  "1h": HOUR,
  "6h": 6 * HOUR,
  "24h": DAY,
  "7d": 7 * DAY,
  "30d": 30 * DAY,
};

/** For keys and fingers; a mouse drags. */
const ZOOMS = [
  ["earlier", "←", "Earlier"],
  ["later", "→", "Later"],
  ["in", "+", "Zoom in"],
  ["out", "−", "Zoom out"],
  ["whole", "all", "All of the time"],
] as const;

interface ChartProps {
  readonly data: AlertData;
  readonly now: number;
}

/** The value over time with its limits, and beneath it the states: drawn by the server, zoomed by the script. */
export function AlertChart({ data, now }: ChartProps) {
  const { samples, states, span } = data;
  const { alert } = data.detail;
  const whole = { from: now - (SPANS[span] ?? 0), to: now };
  const bands = bandsOf(states, whole);
  const form = formOfAlert(alert);
  const limits = samples === null ? [] : limitsOf(alert, samples);
  const firing = bands.filter(({ state }) => state === "firing" || state === "recovering");
  const { compared } = alert;
  const window =
    compared === null || samples?.metric !== compared.metric ? null : windowOf(compared, whole);
  const metric = samples?.label ?? alert.compared?.label ?? "";
  return (
    <section class="card chart" aria-labelledby="h-chart">
      <header>
        <h2 id="h-chart">
          {capital(metric)}{" "}
          <span class="cnt">{samples === null ? "no samples are kept" : unitWords(samples)}</span>
        </h2>
        <SpanChoice
          spans={SPANS}
          shown={span}
          pathOf={(one) => `${alertPath(alert)}&span=${one}`}
        />
      </header>
      <figure
        data-live="chart"
        data-shallow=""
        {...(samples === null
          ? {}
          : {
              "data-subject": samples.subject,
              "data-metric": samples.metric,
              "data-from": String(whole.from),
              "data-to": String(whole.to),
              "data-power": String(form?.power ?? 0),
              "data-before": form?.before ?? "",
              "data-after": form?.after ?? "",
              "data-gap": String(gapOf(samples)),
              "data-shape": JSON.stringify({
                limits: limits.map(({ value, text, back = false }) => ({ value, text, back })),
                firing: firing.map(({ from, to }) => [from / 1_000, to / 1_000]),
                window: window === null ? null : window.from / 1_000,
              }),
            })}
      >
        <div class="plot" data-live="plot">
          <Chart
            title={`${capital(metric)} of ${cut(alert.name)} in the last ${spacedSpan(span)}`}
            desc={words(alert, bands)}
            severity={alert.severity}
            points={samples === null ? [] : pointsOfSamples(samples)}
            span={whole}
            limits={limits}
            moving={[]}
            firing={firing}
            window={window}
            nowText={nowText(alert, samples)}
            format={(value, step) => axisText(value, form, step)}
          />
        </div>
        <div data-live="bands">
          <Bands
            title={`States of the alert in the last ${spacedSpan(span)}`}
            desc={bandWords(bands)}
            severity={alert.severity}
            bands={bands}
            held={(states?.quiet ?? []).map(({ from, to }) => ({
              from: Date.parse(from),
              to: to === null ? now : Date.parse(to),
            }))}
            span={whole}
          />
        </div>
        <BandsLegend severity={alert.severity} />
        <div class="pager">
          <p class="hint zoom" hidden>
            Drag over the chart to zoom, press twice to see the whole again.
          </p>
          <div class="zooms" role="group" aria-label="Zoom" hidden>
            {ZOOMS.map(([what, sign, label]) => (
              <button type="button" data-zoom={what} aria-label={label} title={label}>
                {sign}
              </button>
            ))}
          </div>
        </div>
      </figure>
    </section>
  );
}

function formOfAlert({ compared, last }: Alert): ValueForm | null {
  return firstForm([compared?.value, compared?.base, ...(compared?.limits ?? []), last?.value]);
}

function gapOf({ points, step_ms: step }: Samples): number {
  const apart = points.map(({ at }, i) => Date.parse(at) - Date.parse(points[i - 1]?.to ?? at));
  return gapFrom(apart, step);
}

/** Each step's lowest and highest value, so that no peak is lost, and a gap where nothing was seen. */
export function pointsOfSamples(samples: Samples): Point[] {
  const points: Point[] = [];
  const gap = gapOf(samples);
  let end = Number.NaN;
  for (const { at, to, min, max, last } of samples.points) {
    const [start, until] = [Date.parse(at), Date.parse(to)];
    if (start - end > gap) points.push({ at: end, value: null });
    end = until;
    const [low, high, newest] = [min, max, last].map((text) =>
      text === null ? null : numberOf(text),
    );
    if (low === undefined || low === null || high === undefined || high === null) {
      points.push({ at: start, value: null });
      continue;
    }
    if (low !== high) points.push({ at: start, value: low }, { at: start, value: high });
    else points.push({ at: start, value: low });
    if (until > start || newest !== high)
      points.push({ at: Math.max(start, until), value: newest ?? high });
  }
  return points;
}

function limitsOf(alert: Alert, samples: Samples): LimitLine[] {
  const { compared } = alert;
  const lines = samples.limits
    .filter(({ rule }) => rule === alert.rule)
    .flatMap(({ fires, values, resolve }): LimitLine[] => [
      ...values.flatMap((exact): LimitLine[] => {
        const value = numberOf(exact);
        return value === null ? [] : [{ value, text: cut(fires, 40) }];
      }),
      ...resolve.flatMap((exact): LimitLine[] => {
        const value = numberOf(exact);
        return value === null ? [] : [{ value, text: "resolves", back: true }];
      }),
    ]);
  if (alert.range !== null && samples.metric === "current_tick") {
    const { lower, upper, lower_tick: low, upper_tick: high, inverted } = alert.range;
    const [first, last] = inverted ? [upper, lower] : [lower, upper];
    return [
      { value: low, text: `edge at ${first}` },
      { value: high, text: `edge at ${last}` },
    ];
  }
  if (lines.length > 0 || compared === null || compared.metric !== samples.metric) return lines;
  const level = changeLevel(compared);
  return level === null ? [] : [{ value: level, text: `${cut(compared.fires, 40)}: now here` }];
}

function nowText({ compared }: Alert, samples: Samples | null): string {
  if (compared === null || samples?.metric !== compared.metric) return "";
  const change = compared.change?.percent;
  return `${compared.value.text} now${change === undefined || change === null ? "" : `, ${change}`}`;
}

function bandsOf(states: States | null, whole: Span): Band[] {
  return (states?.spans ?? []).map(({ from, to, state, no_data: missing }) => ({
    from: Date.parse(from),
    to: to === null ? whole.to : Date.parse(to),
    state: missing ? "no_data" : state,
  }));
}

const STATE_WORDS: Readonly<Record<Band["state"], string>> = {
  ok: "ok",
  pending: "pending",
  firing: "firing",
  recovering: "recovering",
  no_data: "no data",
};

function bandWords(bands: readonly Band[]): string {
  const last = bands
    .slice(-8)
    .map(
      ({ from, state }) =>
        `${STATE_WORDS[state]} from ${new Date(from).toISOString().slice(11, 16)} UTC`,
    );
  return last.length === 0 ? "Nothing was written down." : last.join(", ");
}

function words(alert: Alert, bands: readonly Band[]): string {
  const { compared } = alert;
  const value =
    compared === null
      ? "No value is known."
      : `Now ${compared.value.text}; fires when ${compared.fires}.`;
  return `${value} ${bandWords(bands)}`;
}

function unitWords({ unit, step_ms: step, samples }: Samples): string {
  const every =
    step >= 60_000 ? `${Math.round(step / 60_000)} min` : `${Math.round(step / 1_000)} s`;
  return `${unit === "" ? "" : `in ${unit}, `}${samples.toLocaleString("en-US")} samples, one step ${every}`;
}
