import { DAY, HOUR } from "../../../base/duration.ts";
import type { Severity } from "../../../model/index.ts";
import { clockText, spanText } from "../format/times.ts";
import { Drawing, Frame, PictureTime } from "./frame.tsx";
import { type LimitLine, LimitLines, SpanBar } from "./marks.tsx";
import { lastOf, linePath, WIDE, yOf } from "./path.ts";
import {
  type Extent,
  extentOf,
  type Point,
  percent,
  type Span,
  timeShare,
  trim,
  within,
} from "./scale.ts";

/** What a change is measured in: from the base to now. */
export interface WindowMark {
  readonly from: number;
  readonly base: { readonly at: number; readonly value: number; readonly text: string } | null;
}

export interface SparkProps {
  readonly title: string;
  readonly desc: string;
  readonly severity: Severity | null;
  readonly points: readonly Point[];
  readonly span: Span;
  readonly limits: readonly LimitLine[];
  readonly firing: readonly Span[];
  readonly window?: WindowMark | null;
  /** It is within its limit: nothing is lit. */
  readonly calm?: boolean;
}

const TOP = 14;
const PLOT = 37;
const HEIGHT = 66;
/** Lines keep clear of the frame. */
const MARGIN = 2.6;
/** A firing is seen however short it is. */
const LEAST_FIRING = 0.012;

/**
 * A series with its limit, the spans in which it fired and the window that decides: an alert's row. Without
 * any value it is the limit alone, and says so.
 */
export function Spark(props: SparkProps) {
  const { title, desc, severity, points, span, limits, firing, window = null } = props;
  const extent = extentOf([
    ...points.map(({ value }) => value),
    ...limits.map(({ value }) => value),
    window?.base?.value ?? null,
  ]);
  const y = (value: number, of: Extent): number => MARGIN + yOf(value, of, PLOT - 2 * MARGIN);
  const last = lastOf(points);
  const fired = within(firing, span, LEAST_FIRING);
  return (
    <Frame title={title} desc={desc} height={HEIGHT} severity={severity}>
      {window !== null && (
        <SpanBar
          look="win"
          one={{ ...span, from: window.from }}
          span={span}
          y={TOP}
          height={PLOT}
        />
      )}
      {fired.map((one) => (
        <>
          <SpanBar look="fire" one={one} span={span} y={TOP} height={PLOT} />
          <SpanBar look="firebar" one={one} span={span} y={TOP - 3} height={3} />
        </>
      ))}
      <line class="axis" x1="0" x2="100%" y1={TOP + PLOT + 0.5} y2={TOP + PLOT + 0.5} />
      {extent !== null && (
        <Drawing y={TOP} height={PLOT}>
          {window?.base !== null && window?.base !== undefined && (
            <line
              class="lead dot"
              x1={trim(timeShare(window.base.at, span) * WIDE)}
              x2={WIDE}
              y1={trim(y(window.base.value, extent))}
              y2={trim(y(window.base.value, extent))}
              vector-effect="non-scaling-stroke"
            />
          )}
          <LimitLines limits={limits} y={(value) => y(value, extent)} />
          <path
            class="trace b"
            transform={`translate(0 ${MARGIN})`}
            d={linePath(points, span, extent, PLOT - 2 * MARGIN)}
          />
        </Drawing>
      )}
      {extent !== null && last !== null && (
        <circle
          class={props.calm === true ? "now calm" : "now"}
          cx={percent(timeShare(last.at, span))}
          cy={trim(TOP + y(last.value ?? 0, extent))}
          r="4"
        />
      )}
      {extent !== null && window?.base !== null && window?.base !== undefined && (
        <BaseMark base={window.base} span={span} y={TOP + y(window.base.value, extent)} />
      )}
      {extent !== null &&
        limits
          .filter(({ back, text }) => back !== true && text !== "")
          .map(({ value, text }) => (
            <text
              class="limtext halo"
              x="0"
              y={trim(labelPlace(TOP + y(value, extent), near(points, span), extent, y))}
            >
              {text}
            </text>
          ))}
      {extent === null && (
        <text x="50%" y={TOP + PLOT / 2 + 4} text-anchor="middle">
          no values yet
        </text>
      )}
      <SpanStart span={span} />
      <text x="100%" y="64" text-anchor="end">
        now
      </text>
    </Frame>
  );
}

/** `20:39`; of a day and more `24 h ago`, since a clock would say the same as now. */
function SpanStart({ span }: { readonly span: Span }) {
  const length = span.to - span.from;
  if (length > 12 * HOUR) {
    const ago = length <= 2 * DAY ? `${Math.round(length / HOUR)} h` : spanText(length);
    return (
      <text x="0" y="64">
        {ago} ago
      </text>
    );
  }
  const text = clockText(span.from, span.to);
  return <PictureTime at={span.from} x="0" y={64} anchor="start" form="clock" text={text} />;
}

function BaseMark({
  base,
  span,
  y,
}: {
  readonly base: NonNullable<WindowMark["base"]>;
  readonly span: Span;
  readonly y: number;
}) {
  const x = timeShare(base.at, span);
  return (
    <>
      <circle class="base" cx={percent(x)} cy={trim(y)} r="3.5" />
      {x > 0.05 && base.text !== "" && (
        <text
          class="strong halo"
          x={percent(x)}
          dx={x > 0.6 ? "-7" : "7"}
          text-anchor={x > 0.6 ? "end" : "start"}
          y={trim(Math.min(TOP + PLOT - 3, y + 15))}
        >
          {base.text}
        </text>
      )}
    </>
  );
}

/** The values behind the name of a limit, which stands at the left. */
function near(points: readonly Point[], span: Span): number[] {
  return points
    .filter(({ at, value }) => value !== null && timeShare(at, span) < 0.25)
    .map(({ value }) => value ?? 0);
}

/** Above its line, or below it where the series runs above. */
function labelPlace(
  line: number,
  values: readonly number[],
  extent: Extent,
  y: (value: number, extent: Extent) => number,
): number {
  const above = line - 4;
  const below = line + 12;
  const lines = values.map((value) => TOP + y(value, extent));
  const hits = (baseline: number): number =>
    lines.filter((one) => one > baseline - 11 && one < baseline + 3).length;
  if (above < TOP + 4) return below;
  if (below > TOP + PLOT + 1) return above;
  return hits(above) <= hits(below) ? above : below;
}

interface SmallProps {
  readonly severity: Severity | null;
  readonly points: readonly Point[];
  readonly span: Span;
}

/** A series alone, beside its value in a table's row; nothing where nothing is known. */
export function SmallSpark({ severity, points, span }: SmallProps) {
  const extent = extentOf(points.map(({ value }) => value));
  const last = lastOf(points);
  if (extent === null || last === null) return null;
  const room = 20 - 2 * MARGIN;
  return (
    <svg
      {...(severity === null ? {} : { class: severity })}
      width="100%"
      height="24"
      aria-hidden="true"
    >
      <Drawing y={2} height={20}>
        <path
          class="trace"
          transform={`translate(0 ${MARGIN})`}
          d={linePath(points, span, extent, room)}
        />
      </Drawing>
      <circle
        class="now"
        cx={percent(timeShare(last.at, span))}
        cy={trim(2 + MARGIN + yOf(last.value ?? 0, extent, room))}
        r="2.5"
      />
    </svg>
  );
}
