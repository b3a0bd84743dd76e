import type UPlot from "uplot";

/** What a chart shows beside its line: limits, firings and the window of a change. */

interface Limit {
  readonly value: number;
  readonly text: string;
  readonly back: boolean;
}

export interface Shape {
  readonly limits: readonly Limit[];
  /** Seconds. */
  readonly firing: readonly (readonly [number, number])[];
  /** Where the window of a change begins, seconds; null: there is none. */
  readonly window: number | null;
}

export const NO_SHAPE: Shape = { limits: [], firing: [], window: null };

/** Wide enough for the limits that are near; one that is far away would press the values flat. */
export function rangeOf(low: number, high: number, limits: readonly Limit[]): [number, number] {
  const length = high - low || Math.abs(high) * 0.0012 || 1;
  const near = limits
    .map(({ value }) => value)
    .filter((value) => value > low - length * 3 && value < high + length * 3);
  const [bottom, top] = [Math.min(low, ...near), Math.max(high, ...near)];
  const margin = Math.max(top - bottom, Math.abs(top) * 0.0012) * 0.06 || 1;
  return [bottom - margin, top + margin];
}

type Colours = Readonly<Record<"ink" | "ink2" | "line" | "severity" | "font", string>>;

export function coloursOf(element: HTMLElement): Colours {
  const style = getComputedStyle(element.querySelector("svg") ?? element);
  const read = (name: string): string => style.getPropertyValue(name).trim();
  return {
    ink: read("--ink"),
    ink2: read("--ink-2"),
    line: read("--line"),
    severity: read("--sev") || read("--ink-2"),
    font: read("--sans"),
  };
}

/** What lies behind the line: the window of a change, and when it fired. */
export function drawSpans(
  plot: UPlot,
  { firing, window: from }: Shape,
  { ink, severity }: Colours,
): void {
  const { ctx } = plot;
  const { left, top, width, height } = plot.bbox;
  const fill = (start: number, end: number, colour: string, alpha: number): void => {
    const x = Math.max(left, plot.valToPos(start, "x", true));
    const right = Math.min(left + width, plot.valToPos(end, "x", true));
    if (right <= x) return;
    ctx.save();
    ctx.globalAlpha = alpha;
    ctx.fillStyle = colour;
    ctx.fillRect(x, top, right - x, height);
    ctx.restore();
  };
  if (from !== null) fill(from, plot.scales.x?.max ?? from, ink, 0.05);
  for (const [start, end] of firing) fill(start, end, severity, 0.13);
}

/**
 * Each as a line with its name; of one that is far away the name stands at the edge, with an arrow. No name stands
 * on another one.
 */
export function drawLimits(
  plot: UPlot,
  { limits }: Shape,
  { severity, font, ink2 }: Colours,
): void {
  const { ctx } = plot;
  const { left, top, width, height } = plot.bbox;
  const ratio = devicePixelRatio;
  const taken: number[] = [];
  const write = (text: string, wanted: number, step: number): void => {
    let y = wanted;
    while (taken.some((one) => Math.abs(one - y) < 12 * ratio)) y += step * ratio;
    taken.push(y);
    ctx.fillText(text, left + 6 * ratio, y);
  };
  const placed = limits.map((limit) => ({ ...limit, y: plot.valToPos(limit.value, "y", true) }));
  const isFar = (y: number): boolean => y < top || y > top + height;
  for (const { text, back, y } of placed.toSorted(
    (a, b) => Number(isFar(a.y)) - Number(isFar(b.y)),
  )) {
    ctx.save();
    ctx.strokeStyle = back ? ink2 : severity;
    ctx.fillStyle = back ? ink2 : severity;
    ctx.textAlign = "left";
    ctx.textBaseline = "alphabetic";
    ctx.font = `600 ${11 * ratio}px ${font}`;
    if (y < top) write(`↑ ${text}`, top + 14 * ratio, 1);
    else if (y > top + height) write(`↓ ${text}`, top + height - 6 * ratio, -1);
    else {
      ctx.lineWidth = (back ? 1 : 1.5) * ratio;
      ctx.setLineDash(back ? [ratio, 3 * ratio] : [5 * ratio, 3 * ratio]);
      ctx.beginPath();
      ctx.moveTo(left, y);
      ctx.lineTo(left + width, y);
      ctx.stroke();
      // A line at the top has its name below it.
      const isHigh = y < top + 16 * ratio;
      write(text, isHigh ? y + 12 * ratio : y - 5 * ratio, isHigh ? 1 : -1);
    }
    ctx.restore();
  }
}

export function shapeOf(text: string | undefined): Shape {
  if (text === undefined) return NO_SHAPE;
  const read: unknown = JSON.parse(text);
  return isShape(read) ? read : NO_SHAPE;
}

function isShape(value: unknown): value is Shape {
  return (
    typeof value === "object" &&
    value !== null &&
    "limits" in value &&
    "firing" in value &&
    "window" in value
  );
}
