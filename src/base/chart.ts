import { formatTime } from "./clock.ts";
import { compare, type Decimal, subtract, toNumber } from "./decimal.ts";
import { DAY, HOUR, MINUTE } from "./duration.ts";

/** Charts of characters for a terminal: a value over time, its limits, and when an alert fired. */

/** A chart is at least and at most so wide, in columns; where nobody says how wide it is `USUAL`. */
const NARROWEST = 60;
const WIDEST = 200;
const USUAL = 100;

/** So many slices of time are told apart: more than the widest chart has dots side by side. */
const SLICES = 4 * WIDEST;

interface Slice {
  low: number;
  high: number;
}

/**
 * Values by time, made small as they come: memory does not grow with their number. Times are epoch
 * milliseconds; what lies outside of the chart's own is left out.
 */
export class ChartData {
  readonly slices: (Slice | null)[] = Array.from({ length: SLICES }, () => null);
  /** The exact extremes; null: no value yet. */
  lowest: Decimal | null = null;
  highest: Decimal | null = null;
  /** What places are measured from: a double holds a small distance exactly, and no large number. */
  #origin: Decimal | null = null;

  /** Throws RangeError unless `from` is before `to`. */
  constructor(
    readonly from: number,
    readonly to: number,
  ) {
    if (!(from < to)) throw new RangeError("a chart ends after it begins");
  }

  /**
   * The value was in force from `first` to `last`, both included. What is known of single moments is drawn as
   * a line if each is added up to the next.
   */
  add(first: number, last: number, value: Decimal): void {
    if (last < this.from || first > this.to) return;
    if (this.lowest === null || compare(value, this.lowest) < 0) this.lowest = value;
    if (this.highest === null || compare(value, this.highest) > 0) this.highest = value;
    const place = this.place(value);
    const end = this.#sliceAt(last);
    for (let at = this.#sliceAt(first); at <= end; at += 1) {
      const slice = this.slices[at];
      if (slice === null || slice === undefined) this.slices[at] = { low: place, high: place };
      else if (place < slice.low) slice.low = place;
      else if (place > slice.high) slice.high = place;
    }
  }

  /** How far a value is from the first one. */
  place(value: Decimal): number {
    this.#origin ??= value;
    return toNumber(subtract(value, this.#origin));
  }

  #sliceAt(time: number): number {
    const share = (time - this.from) / (this.to - this.from);
    return Math.min(SLICES - 1, Math.max(0, Math.floor(share * SLICES)));
  }
}

export interface Chart {
  readonly data: ChartData;
  /** Lines across, such as the limit of a rule; `text` is what the legend calls it: `limit 5 gwei`. */
  readonly limits: readonly { readonly value: Decimal; readonly text: string }[];
  /** Rows below the value: what was so from one time to another. */
  readonly spans: readonly ChartSpans[];
  /** How a value is written beside the chart; at most 30 characters. */
  readonly write: (value: Decimal) => string;
  /** The width of the terminal; undefined: there is none, such as a pipe. */
  readonly columns: number | undefined;
  /** Rows of the value; default 10. */
  readonly rows?: number;
  readonly colours: boolean;
}

export interface ChartSpans {
  /** `firing` */
  readonly name: string;
  readonly mark: "█" | "▒" | "░";
  /** Both ends included; `to` null: it lasts. */
  readonly spans: readonly { readonly from: number; readonly to: number | null }[];
}

/**
 * The lines of a chart, 60 to 200 columns wide: braille dots for the value, `╌` for a limit, one row
 * for each kind of span, then the time in UTC. A limit that is far from all values is named in the legend and
 * not drawn: the values would be one flat line.
 */
export function drawChart(chart: Chart): readonly string[] {
  const { data, spans } = chart;
  const { lowest, highest } = data;
  const names = spans.map(({ name }) => name);
  if (lowest === null || highest === null) {
    const gutter = widest(names);
    const width = plotWidth(chart, gutter);
    return [...spanRows(chart, gutter, width), ...timeRows(data, gutter, width)];
  }
  const scale = scaleOf(chart, lowest, highest);
  const rows = chart.rows ?? DEFAULT_ROWS;
  const labels = rowLabels(chart, scale, rows);
  const gutter = widest([...names, ...labels.values()]);
  const width = plotWidth(chart, gutter);
  const dots = plot(data, scale, width, rows);
  const limitRows = new Set(
    chart.limits.filter((one) => scale.holds(one.value)).map((one) => scale.row(one.value, rows)),
  );
  const lines = dots.map((cells, row) => {
    const label = labels.get(row);
    const edge = label === undefined ? "│" : "┤";
    const line = cells.map((dot) => (dot === 0 ? null : String.fromCodePoint(BRAILLE + dot)));
    const drawn = limitRows.has(row)
      ? painted(line.map((cell) => cell ?? "╌").join(""), /╌+/g, LIMIT_COLOUR, chart.colours)
      : line
          .map((cell) => cell ?? " ")
          .join("")
          .trimEnd();
    return `${(label ?? "").padStart(gutter)} ${edge}${drawn}`;
  });
  return [
    ...lines,
    ...spanRows(chart, gutter, width),
    ...timeRows(data, gutter, width),
    ...legend(chart, scale, gutter),
  ];
}

const DEFAULT_ROWS = 10;
const LIMIT_COLOUR = 33;
const SPAN_COLOUR = 31;
/** The first of the 256 patterns of dots, four rows of two. */
const BRAILLE = 0x2800;
/** The bit of each dot of a cell: by column, then by row from the top. Source: Unicode, "Braille Patterns". */
const DOTS = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const;

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, [...text].length), 0);
}

/** What is left beside the labels and the edge. */
function plotWidth({ columns }: Chart, gutter: number): number {
  return Math.min(WIDEST, Math.max(NARROWEST, columns ?? USUAL)) - gutter - 2;
}

interface Scale {
  readonly low: number;
  readonly high: number;
  readonly holds: (value: Decimal) => boolean;
  /** The row of so many in which a value lies, from the top. */
  readonly row: (value: Decimal, rows: number) => number;
}

/** A limit belongs into the picture unless the values would then fill less than a quarter of it. */
const MOST_STRETCH = 4;

function scaleOf({ data, limits }: Chart, lowest: Decimal, highest: Decimal): Scale {
  let low = data.place(lowest);
  let high = data.place(highest);
  const span = high - low;
  for (const { value } of limits) {
    const place = data.place(value);
    const [down, up] = [Math.min(low, place), Math.max(high, place)];
    if (span === 0 || up - down <= span * MOST_STRETCH) [low, high] = [down, up];
  }
  return {
    low,
    high,
    holds: (value) => data.place(value) >= low && data.place(value) <= high,
    row: (value, rows) => Math.floor(dotOf(data.place(value), low, high, rows * 4) / 4),
  };
}

/** Which of so many dots, from the top, stands for a place; all of one value lie in the middle. */
function dotOf(place: number, low: number, high: number, dots: number): number {
  const share = high === low ? 0.5 : (place - low) / (high - low);
  return Math.min(dots - 1, Math.max(0, Math.round((1 - share) * (dots - 1))));
}

/** The ends of the scale and the limits in it, by row; of two in one row the limit. */
function rowLabels(chart: Chart, scale: Scale, rows: number): Map<number, string> {
  const { data, limits, write } = chart;
  const labels = new Map<number, string>();
  for (const value of [data.highest, data.lowest]) {
    if (value !== null) labels.set(scale.row(value, rows), write(value));
  }
  for (const { value } of limits) {
    if (scale.holds(value)) labels.set(scale.row(value, rows), write(value));
  }
  return labels;
}

/** Rows of cells, each the dots that are set in it. */
function plot(data: ChartData, scale: Scale, width: number, rows: number): number[][] {
  const cells = Array.from({ length: rows }, () => Array.from({ length: width }, () => 0));
  const columns = width * 2;
  let before: { readonly top: number; readonly bottom: number } | null = null;
  for (let column = 0; column < columns; column += 1) {
    const slice = sliceOf(data, column, columns);
    if (slice === null) {
      before = null;
      continue;
    }
    const top = dotOf(slice.high, scale.low, scale.high, rows * 4);
    const bottom = dotOf(slice.low, scale.low, scale.high, rows * 4);
    // From one value to the next there is a line, or steps would be dots without a connection.
    const from = before !== null && before.bottom < top ? before.bottom + 1 : top;
    const to = before !== null && before.top > bottom ? before.top - 1 : bottom;
    for (let dot = from; dot <= to; dot += 1) {
      const line = cells[dot >> 2];
      const bit = DOTS[column % 2 === 0 ? 0 : 1][dot & 3] ?? 0;
      const cell = column >> 1;
      if (line !== undefined) line[cell] = (line[cell] ?? 0) | bit;
    }
    before = { top, bottom };
  }
  return cells;
}

/** All that the slices under one of so many columns hold; null: nothing. */
function sliceOf({ slices }: ChartData, column: number, columns: number): Slice | null {
  const first = Math.floor((column * SLICES) / columns);
  const end = Math.max(first + 1, Math.floor(((column + 1) * SLICES) / columns));
  let found: Slice | null = null;
  for (let at = first; at < end; at += 1) {
    const slice = slices[at];
    if (slice === null || slice === undefined) continue;
    if (found === null) found = { ...slice };
    else {
      found.low = Math.min(found.low, slice.low);
      found.high = Math.max(found.high, slice.high);
    }
  }
  return found;
}

function spanRows(chart: Chart, gutter: number, width: number): string[] {
  const { data, spans, colours } = chart;
  const lengthMs = data.to - data.from;
  return spans
    .filter((one) => one.spans.length > 0)
    .map(({ name, mark, spans: all }) => {
      const cells = Array.from({ length: width }, () => " ");
      for (const { from, to } of all) {
        if (from > data.to || (to ?? data.to) < data.from) continue;
        const cellAt = (time: number): number =>
          Math.min(width - 1, Math.max(0, Math.floor(((time - data.from) / lengthMs) * width)));
        for (let cell = cellAt(from); cell <= cellAt(to ?? data.to); cell += 1) cells[cell] = mark;
      }
      const row = cells.join("").trimEnd();
      return `${name.padStart(gutter)} │${painted(row, /\S+/g, SPAN_COLOUR, colours)}`;
    });
}

function painted(text: string, what: RegExp, colour: number, colours: boolean): string {
  if (!colours) return text;
  return text.replace(what, (part) => `\u001b[${colour}m${part}\u001b[39m`);
}

/** The distances of the marks on the axis of time. */
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14, 28, 91, 182, 364].map((count) => count * DAY),
];
/** `2026-11-28` and two spaces. */
const MARK_WIDTH = 12;

/** The axis of time with its marks, and what they are. */
function timeRows({ from, to }: ChartData, gutter: number, width: number): string[] {
  const most = Math.max(1, Math.floor(width / MARK_WIDTH));
  const step = STEPS.find((one) => (to - from) / one <= most) ?? Math.ceil((to - from) / most);
  const axis = Array.from({ length: width }, () => "─");
  let labels = "";
  let day = "";
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    const cell = Math.min(width - 1, Math.floor(((at - from) / (to - from)) * width));
    const [date = "", time = ""] = formatTime(at).split(" ");
    const label = step >= DAY || (date !== day && time === "00:00") ? date : time;
    // It would lie over the one before it, or reach beyond the edge.
    if (cell < labels.length + (labels === "" ? 0 : 2) || cell + label.length > width) continue;
    axis[cell] = "┬";
    labels = labels.padEnd(cell) + label;
    day = date;
  }
  const indent = " ".repeat(gutter + 1);
  return [`${indent}└${axis.join("")}`, `${indent} ${labels}`.trimEnd()];
}

/** What the marks mean; of a limit that is not drawn where it is. */
function legend({ limits, data }: Chart, scale: Scale, gutter: number): string[] {
  const { highest } = data;
  const parts = limits.map(({ value, text }) => {
    if (scale.holds(value)) return `╌ ${text}`;
    const above = highest !== null && compare(value, highest) > 0;
    return `${text} is ${above ? "above" : "below"} the chart`;
  });
  return parts.map((part) => `${" ".repeat(gutter + 2)}${part}`);
}
