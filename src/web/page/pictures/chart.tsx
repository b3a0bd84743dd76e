import type { Severity } from "../../../model/index.ts";
import { Drawing, Frame } from "./frame.tsx";
import { type LimitLine, LimitLines, SpanBar, TimeAxis } from "./marks.tsx";
import { lastOf, linePath, yOf } from "./path.ts";
import {
  axisValues,
  type Extent,
  extentOf,
  type Point,
  percent,
  type Span,
  shareOf,
  timeShare,
  trim,
  within,
} from "./scale.ts";
import type { WindowMark } from "./spark.tsx";

export interface ChartProps {
  readonly title: string;
  readonly desc: string;
  readonly severity: Severity;
  readonly points: readonly Point[];
  readonly span: Span;
  readonly limits: readonly LimitLine[];
  /** A limit that moves with the series; empty: it does not. */
  readonly moving: readonly Point[];
  readonly firing: readonly Span[];
  readonly window: WindowMark | null;
  readonly nowText: string;
  /** `step`: how far the values of the axis are apart. */
  readonly format: (value: number, step: number) => string;
}

const TOP = 8;
const PLOT = 254;

/** An alert's series with all that decides: readable without a script. */
export function Chart(props: ChartProps) {
  const { title, desc, severity, points, span, limits, moving, firing, window } = props;
  const seen = extentOf([
    ...points.map(({ value }) => value),
    ...moving.map(({ value }) => value),
    ...limits.map(({ value }) => value),
    window?.base?.value ?? null,
  ]);
  if (seen === null) {
    return (
      <Frame title={title} desc={desc} height={280} severity={severity}>
        <text x="50%" y="140" text-anchor="middle">
          no values in this time
        </text>
      </Frame>
    );
  }
  const margin = (seen.high - seen.low) * 0.06;
  const extent = { low: seen.low - margin, high: seen.high + margin };
  const y = (value: number): number => trim(TOP + (1 - shareOf(value, extent)) * PLOT);
  const last = lastOf(points);
  const base = window?.base ?? null;
  return (
    <Frame title={title} desc={desc} height={280} severity={severity}>
      {axisValues(extent, 6).map((value) => (
        <line class="axis" x1="0" x2="100%" y1={y(value)} y2={y(value)} />
      ))}
      {window !== null && (
        <SpanBar
          look="win"
          one={{ ...span, from: window.from }}
          span={span}
          y={TOP}
          height={PLOT}
        />
      )}
      {within(firing, span, 0.004).map((one) => (
        <SpanBar look="fire" one={one} span={span} y={TOP} height={PLOT} />
      ))}
      <Drawing y={TOP} height={PLOT}>
        {moving.length > 0 && <path class="limit" d={linePath(moving, span, extent, PLOT)} />}
        <LimitLines limits={limits} y={(value) => yOf(value, extent, PLOT)} />
        <path class="trace b" d={linePath(points, span, extent, PLOT)} />
      </Drawing>
      {base !== null && (
        <>
          <line
            class="lead dot"
            x1={percent(timeShare(base.at, span))}
            x2="100%"
            y1={y(base.value)}
            y2={y(base.value)}
          />
          <circle class="base" cx={percent(timeShare(base.at, span))} cy={y(base.value)} r="4" />
        </>
      )}
      {last !== null && (
        <circle class="now" cx={percent(timeShare(last.at, span))} cy={y(last.value ?? 0)} r="5" />
      )}
      <ChartTexts {...props} extent={extent} y={y} />
      <TimeAxis span={span} shares={[0, 1 / 3, 2 / 3]} y={278} />
    </Frame>
  );
}

interface TextsProps extends ChartProps {
  readonly extent: Extent;
  readonly y: (value: number) => number;
}

function ChartTexts({ points, span, limits, window, nowText, format, extent, y }: TextsProps) {
  const last = lastOf(points);
  const base = window?.base ?? null;
  const axis = axisValues(extent, 6);
  const step = (axis[1] ?? Infinity) - (axis[0] ?? 0);
  return (
    <>
      {axis.map((value) => (
        <text class="halo" x="0" y={trim(y(value) - 4)}>
          {format(value, step)}
        </text>
      ))}
      {limits
        .filter(({ text }) => text !== "")
        .map(({ value, text, back }) => (
          <text
            class={back === true ? "halo" : "limtext halo"}
            x={back === true ? "30%" : "50%"}
            y={trim(y(value) + (y(value) < TOP + 16 ? 13 : -4))}
            text-anchor="middle"
          >
            {text}
          </text>
        ))}
      {base !== null && (
        <text
          class="strong halo"
          x={percent(timeShare(base.at, span))}
          dx={timeShare(base.at, span) > 0.3 ? "-9" : "9"}
          y={trim(Math.max(TOP + 8, y(base.value) - 9))}
          text-anchor={timeShare(base.at, span) > 0.3 ? "end" : "start"}
        >
          {base.text}
        </text>
      )}
      {last !== null && nowText !== "" && (
        <text
          class="strong halo"
          x={percent(timeShare(last.at, span))}
          dx="-9"
          y={trim(Math.min(TOP + PLOT - 4, Math.max(TOP + 22, y(last.value ?? 0) + 16)))}
          text-anchor="end"
        >
          {nowText}
        </text>
      )}
    </>
  );
}
