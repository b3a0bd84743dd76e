import type UPlot from "uplot";
import { exactText, numberText } from "./figures.ts";
import { clockText } from "./times.ts";

/** The chart of an alert, to zoom into: the same as the server has drawn, over the same samples. */

declare global {
  interface Window {
    readonly uPlot?: typeof UPlot;
  }
}

const HEIGHT = 280;
const POINTS = "1000";

interface Limit {
  readonly value: number;
  readonly text: string;
  readonly back: boolean;
}

interface Shape {
  readonly limits: readonly Limit[];
  /** Seconds. */
  readonly firing: readonly (readonly [number, number])[];
  /** Where the window of a change begins, seconds; null: there is none. */
  readonly window: number | null;
}

interface Samples {
  readonly at: number[];
  readonly value: (number | null)[];
  readonly exact: (string | null)[];
}

/** Draws every chart of the page where the library is there, and again when the page was written over. */
export function charts(): void {
  const { uPlot } = window;
  if (uPlot === undefined) return;
  for (const figure of document.querySelectorAll<HTMLElement>("figure[data-subject]")) {
    const chart = new Chart(figure, uPlot);
    void chart.load();
    document.addEventListener("refreshed", () => void chart.load());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => void chart.load());
    new ResizeObserver(() => chart.resize()).observe(figure);
  }
}

class Chart {
  readonly #figure: HTMLElement;
  readonly #library: typeof UPlot;
  readonly #place = document.createElement("div");
  readonly #read: HTMLElement | null;
  #plot: UPlot | null = null;
  #samples: Samples = { at: [], value: [], exact: [] };

  constructor(figure: HTMLElement, library: typeof UPlot) {
    this.#figure = figure;
    this.#library = library;
    this.#read = figure.querySelector<HTMLElement>(".zoom");
    // The drawing of the server stays for who does not see this one.
    this.#place.setAttribute("aria-hidden", "true");
  }

  async load(): Promise<void> {
    const samples = await fetchSamples(this.#figure.dataset);
    if (samples === null || samples.at.length < 2) return;
    const zoomed = this.#zoomed();
    this.#samples = samples;
    this.#plot?.destroy();
    const drawing = this.#figure.querySelector(".plot");
    drawing?.classList.add("vh");
    drawing?.after(this.#place);
    this.#plot = new this.#library(this.#options(), [samples.at, samples.value], this.#place);
    if (zoomed !== null) this.#plot.setScale("x", zoomed);
    if (this.#read !== null) this.#read.hidden = false;
  }

  resize(): void {
    const width = this.#place.clientWidth;
    if (width > 0 && this.#plot !== null && this.#plot.width !== width)
      this.#plot.setSize({ width, height: HEIGHT });
  }

  /** What the viewer has zoomed into; null: the whole is shown. */
  #zoomed(): { min: number; max: number } | null {
    const { min, max } = this.#plot?.scales.x ?? {};
    const { at } = this.#samples;
    const [first, last] = [at[0], at.at(-1)];
    if (min === undefined || max === undefined || first === undefined || last === undefined)
      return null;
    return min > first || max < last ? { min, max } : null;
  }

  #options(): UPlot.Options {
    const { dataset } = this.#figure;
    const colours = coloursOf(this.#figure);
    const shape = shapeOf(dataset.shape);
    const axis = { stroke: colours.ink2, font: `11px ${colours.font}`, ticks: { show: false } };
    return {
      width: this.#place.clientWidth || this.#figure.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { drag: { x: true, y: false }, points: { size: 7 } },
      scales: {
        x: { time: true, range: (_, low, high) => this.#wholeOr(low, high) },
        y: { range: (_, low, high) => rangeOf(low, high, shape.limits) },
      },
      series: [{}, { stroke: colours.ink, width: 1.75, spanGaps: false, points: { show: false } }],
      axes: [
        {
          ...axis,
          grid: { show: false },
          values: (_, at) => at.map((one) => clockText(one * 1_000)),
        },
        {
          ...axis,
          grid: { stroke: colours.line, width: 1 },
          size: (plot, labels) => widthOf(plot, labels ?? [], colours.font),
          values: (_, values) => values.map((value) => numberText(value, dataset)),
        },
      ],
      hooks: {
        drawClear: [(plot) => drawSpans(plot, shape, colours)],
        ready: [(plot) => this.#align(plot)],
        setSize: [(plot) => this.#align(plot)],
        draw: [(plot) => drawLimits(plot, shape, colours)],
        setCursor: [(plot) => this.#show(plot.cursor.idx ?? null)],
      },
    };
  }

  /** The states beneath stand under the times that they are of. */
  #align({ bbox, width }: UPlot): void {
    const bands = this.#figure.querySelector<HTMLElement>('[data-live="bands"]');
    if (bands === null) return;
    const left = bbox.left / devicePixelRatio;
    bands.style.paddingLeft = `${left}px`;
    bands.style.paddingRight = `${width - left - bbox.width / devicePixelRatio}px`;
  }

  /** All of the time that is asked for, where nobody has zoomed. */
  #wholeOr(low: number, high: number): [number, number] {
    const { at } = this.#samples;
    const { from, to } = this.#figure.dataset;
    if (low > (at[0] ?? low) || high < (at.at(-1) ?? high)) return [low, high];
    return [Number(from) / 1_000, Number(to) / 1_000];
  }

  /** The exact value under the pointer, and its time. */
  #show(index: number | null): void {
    if (this.#read === null) return;
    const at = index === null ? undefined : this.#samples.at[index];
    const exact = index === null ? undefined : this.#samples.exact[index];
    this.#read.textContent =
      at === undefined
        ? "Drag over the chart to zoom, press twice to see the whole again."
        : `${clockText(at * 1_000)}, ${new Date(at * 1_000).toISOString().slice(0, 19).replace("T", " ")} UTC: ${exact === undefined || exact === null ? "no data" : exactText(exact, this.#figure.dataset)}`;
  }
}

const LABEL_SPACE = 14;

/** Wide enough for the longest number beside it, which must not lose its first digits. */
function widthOf({ ctx }: UPlot, labels: readonly string[], font: string): number {
  ctx.save();
  ctx.font = `${11 * devicePixelRatio}px ${font}`;
  const longest = Math.max(0, ...labels.map((label) => ctx.measureText(label).width));
  ctx.restore();
  return Math.ceil(longest / devicePixelRatio) + LABEL_SPACE;
}

/** Wide enough for the limits that are near; one that is far away would press the values flat. */
function rangeOf(low: number, high: number, limits: readonly Limit[]): [number, number] {
  const length = high - low || Math.abs(high) * 0.0012 || 1;
  const near = limits
    .map(({ value }) => value)
    .filter((value) => value > low - length * 3 && value < high + length * 3);
  const [bottom, top] = [Math.min(low, ...near), Math.max(high, ...near)];
  const margin = Math.max(top - bottom, Math.abs(top) * 0.0012) * 0.06 || 1;
  return [bottom - margin, top + margin];
}

type Colours = Readonly<Record<"ink" | "ink2" | "line" | "severity" | "font", string>>;

function coloursOf(element: HTMLElement): Colours {
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
function drawSpans(plot: UPlot, { firing, window: from }: Shape, { ink, severity }: Colours): void {
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

/** Each as a line with its name; of one that is far away the name stands at the edge, with an arrow. */
function drawLimits(plot: UPlot, { limits }: Shape, { severity, font, ink2 }: Colours): void {
  const { ctx } = plot;
  const { left, top, width, height } = plot.bbox;
  const ratio = devicePixelRatio;
  const far = { above: 0, below: 0 };
  for (const { value, text, back } of limits) {
    const y = plot.valToPos(value, "y", true);
    ctx.save();
    ctx.strokeStyle = back ? ink2 : severity;
    ctx.fillStyle = back ? ink2 : severity;
    ctx.textAlign = "left";
    ctx.textBaseline = "alphabetic";
    ctx.font = `600 ${11 * ratio}px ${font}`;
    const x = left + 6 * ratio;
    if (y < top) {
      far.above += 1;
      ctx.fillText(`↑ ${text}`, x, top + far.above * 14 * ratio);
    } else if (y > top + height) {
      far.below += 1;
      ctx.fillText(`↓ ${text}`, x, top + height - (far.below * 14 - 8) * ratio);
    } else {
      ctx.lineWidth = (back ? 1 : 1.5) * ratio;
      ctx.setLineDash(back ? [ratio, 3 * ratio] : [5 * ratio, 3 * ratio]);
      ctx.beginPath();
      ctx.moveTo(left, y);
      ctx.lineTo(left + width, y);
      ctx.stroke();
      ctx.fillText(text, x, y - 5 * ratio);
    }
    ctx.restore();
  }
}

function shapeOf(text: string | undefined): Shape {
  const none: Shape = { limits: [], firing: [], window: null };
  if (text === undefined) return none;
  const read: unknown = JSON.parse(text);
  return isShape(read) ? read : none;
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

/** The samples that the figure names; null: they cannot be had now. */
async function fetchSamples({
  subject,
  metric,
  from,
  to,
  gap,
}: DOMStringMap): Promise<Samples | null> {
  const query = new URLSearchParams({
    subject: subject ?? "",
    metric: metric ?? "",
    from: new Date(Number(from)).toISOString(),
    to: new Date(Number(to)).toISOString(),
    points: POINTS,
  });
  try {
    const answer = await fetch(`/api/v1/samples?${query.toString()}`);
    return answer.ok ? samplesOf(await answer.json(), Number(gap)) : null;
  } catch {
    return null;
  }
}

function samplesOf(body: unknown, gap: number): Samples | null {
  if (
    typeof body !== "object" ||
    body === null ||
    !("points" in body) ||
    !Array.isArray(body.points)
  )
    return null;
  const samples: Samples = { at: [], value: [], exact: [] };
  const push = (at: number, exact: string | null): void => {
    const seconds = at / 1_000;
    // Times must rise: two values of one step stand a moment apart.
    const last = samples.at.at(-1);
    samples.at.push(last !== undefined && seconds <= last ? last + 0.001 : seconds);
    samples.value.push(exact === null ? null : valueOf(exact));
    samples.exact.push(exact);
  };
  let end = Number.NaN;
  for (const point of body.points as readonly Readonly<Record<string, string | null>>[]) {
    const [at, to] = [Date.parse(point.at ?? ""), Date.parse(point.to ?? "")];
    if (at - end > gap) push(end + 1, null);
    push(at, point.min ?? null);
    if (point.max !== point.min) push(at, point.max ?? null);
    if (to > at || point.last !== point.max) push(Math.max(at, to), point.last ?? null);
    end = to;
  }
  return samples;
}

function valueOf(exact: string): number | null {
  if (exact === "true") return 1;
  if (exact === "false") return 0;
  const value = Number(exact);
  return Number.isFinite(value) ? value : null;
}
