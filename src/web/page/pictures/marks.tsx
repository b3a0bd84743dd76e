import { DAY } from "../../../base/duration.ts";
import { clockText, dayText } from "../format/times.ts";
import { PictureTime } from "./frame.tsx";
import { WIDE } from "./path.ts";
import { percent, type Span, timeShare, trim } from "./scale.ts";

/** A level that decides: dashed with its name; `back` is where it is over, dotted and without one. */
export interface LimitLine {
  readonly value: number;
  readonly text: string;
  readonly back?: boolean;
}

interface LimitsProps {
  readonly limits: readonly LimitLine[];
  /** A value's place in the drawing. */
  readonly y: (value: number) => number;
}

/** The lines of limits across a drawing. */
export function LimitLines({ limits, y }: LimitsProps) {
  return (
    <>
      {limits.map(({ value, back }) => (
        <line
          class={back === true ? "limit back" : "limit"}
          x1="0"
          x2={WIDE}
          y1={trim(y(value))}
          y2={trim(y(value))}
        />
      ))}
    </>
  );
}

interface BarProps {
  readonly look: string;
  readonly one: Span;
  /** The time of the whole picture. */
  readonly span: Span;
  readonly y: number;
  readonly height: number;
}

/** A bar over a part of a picture's time. */
export function SpanBar({ look, one, span, y, height }: BarProps) {
  const [from, to] = [timeShare(one.from, span), timeShare(one.to, span)];
  return <rect class={look} x={percent(from)} y={y} width={percent(to - from)} height={height} />;
}

interface AxisProps {
  readonly span: Span;
  /** Where times stand, from 0 at the left. */
  readonly shares: readonly number[];
  readonly y: number;
  /** The clock alone, whatever the day. */
  readonly form?: "time";
  /** What stands at the right end. */
  readonly end?: string;
}

/** Times below a picture that goes on until now. */
export function TimeAxis({ span, shares, y, form: given, end = "now" }: AxisProps) {
  const form = given ?? (span.to - span.from > 2 * DAY ? "day" : "clock");
  return (
    <>
      {shares.map((share) => {
        const at = span.from + (span.to - span.from) * share;
        const text = form === "day" ? dayText(at) : clockText(at, form === "time" ? at : span.to);
        const anchor = share === 0 ? "start" : "middle";
        return (
          <PictureTime at={at} x={percent(share)} y={y} anchor={anchor} form={form} text={text} />
        );
      })}
      <text x="100%" y={y} text-anchor="end">
        {end}
      </text>
    </>
  );
}
