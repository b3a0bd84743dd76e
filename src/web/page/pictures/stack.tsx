import { Drawing, Frame } from "./frame.tsx";
import { TimeAxis } from "./marks.tsx";
import { WIDE } from "./path.ts";
import { axisValues, type Point, percent, type Span, timeShare, trim } from "./scale.ts";

export interface StackPart {
  readonly name: string;
  /** `612M`. */
  readonly text: string;
  readonly points: readonly Point[];
}

interface StackProps {
  readonly title: string;
  readonly desc: string;
  /** At most six, the largest first; all of them over the same times. */
  readonly parts: readonly StackPart[];
  readonly span: Span;
  readonly nowText: string;
  readonly format: (value: number) => string;
}

const TOP = 6;
const PLOT = 198;
/** A part that is thinner has its name in the table only. */
const LEAST_FOR_NAME = 15;

/** Amounts on top of each other, with their names in them. */
export function Stack({ title, desc, parts, span, nowText, format }: StackProps) {
  const times = [...new Set(parts.flatMap(({ points }) => points.map(({ at }) => at)))].toSorted(
    (a, b) => a - b,
  );
  const rows = parts.map(({ points }) => valuesAt(points, times));
  const sums = cumulated(rows, times.length);
  const most = Math.max(1e-9, ...(sums.at(-1) ?? [0]));
  const y = (value: number): number => trim((1 - value / (most * 1.02)) * PLOT);
  const x = (at: number): number => trim(timeShare(at, span) * WIDE);
  const edge = (row: readonly number[]): string =>
    row.map((value, i) => `${x(times[i] ?? 0)} ${y(value)}`).join("L");
  const start = timeShare(times[0] ?? span.from, span);
  // Beside what is drawn where that is too narrow for a name.
  const nameAt =
    start > 0.7
      ? ({ x: percent(start - 0.01), anchor: "end" } as const)
      : start > 0.3
        ? ({ x: "99%", anchor: "end" } as const)
        : ({ x: percent(start + 0.09), anchor: "start" } as const);
  return (
    <Frame title={title} desc={desc} height={220}>
      {axisValues({ low: 0, high: most }, 5).map((value) => (
        <line class="axis" x1="0" x2="100%" y1={TOP + y(value)} y2={TOP + y(value)} />
      ))}
      <Drawing y={TOP} height={PLOT}>
        {sums.map((row, i) => {
          const below = i === 0 ? times.map(() => 0) : (sums[i - 1] ?? []);
          const back = below.map((value, j) => `${x(times[j] ?? 0)} ${y(value)}`).toReversed();
          return (
            <>
              <path class={`k${i + 1}`} d={`M${edge(row)}L${back.join("L")}Z`} />
              <path class="kedge" d={`M${edge(row)}`} />
            </>
          );
        })}
      </Drawing>
      {parts.map(({ name, text }, i) => {
        const top = sums[i]?.at(0) ?? 0;
        const bottom = i === 0 ? 0 : (sums[i - 1]?.at(0) ?? 0);
        if (y(bottom) - y(top) < LEAST_FOR_NAME) return null;
        return (
          <text
            class="strong halo"
            x={nameAt.x}
            text-anchor={nameAt.anchor}
            y={trim(TOP + (y(top) + y(bottom)) / 2 + 4)}
          >
            {name} {text}
          </text>
        );
      })}
      {axisValues({ low: 0, high: most }, 5)
        .filter((value) => value > 0)
        .map((value) => (
          <text class="halo" x="0" y={trim(TOP + y(value) - 3)}>
            {format(value)}
          </text>
        ))}
      <TimeAxis span={span} shares={[0, 0.5]} y={218} end={`now ${nowText}`} />
    </Frame>
  );
}

/** A part's value at each time: the newest that is known then. */
function valuesAt(points: readonly Point[], times: readonly number[]): number[] {
  let next = 0;
  let value = points.find((point) => point.value !== null)?.value ?? 0;
  return times.map((at) => {
    for (let point = points[next]; point !== undefined && point.at <= at; point = points[next]) {
      value = point.value ?? value;
      next += 1;
    }
    return value;
  });
}

/** Each row with all before it added. */
function cumulated(rows: readonly (readonly number[])[], length: number): number[][] {
  let sum: number[] = Array.from({ length }, () => 0);
  return rows.map((row) => {
    sum = sum.map((value, i) => value + (row[i] ?? 0));
    return sum;
  });
}

/** The sign of a part beside its name in the table. */
export function StackSign({ index }: { readonly index: number }) {
  return (
    <svg width="16" height="12" aria-hidden="true">
      <rect class={`k${index + 1}`} width="16" height="12" />
      <rect class="kedge" x=".5" y=".5" width="15" height="11" />
    </svg>
  );
}
