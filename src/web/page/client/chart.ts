import type UPlot from "uplot";
import {
  coloursOf,
  drawLimits,
  drawSpans,
  NO_SHAPE,
  rangeOf,
  type Shape,
  shapeOf,
} from "./overlay.ts";
import { fetchSamples, type Samples } from "./samples.ts";
import { clockText } from "./times.ts";
import { dragByTouch, exactText, numberText, type Zoom, zoomButtons } from "./zoom.ts";

/** The chart of an alert, to zoom into: the same as the server has drawn, over the same samples. */

declare global {
  interface Window {
    readonly uPlot?: typeof UPlot;
  }
}

const HEIGHT = 280;
/** So long nothing is zoomed before finer steps are asked for. */
const CALM_MS = 200;
/** Between two times beside each other, in pixels. */
const TIME_SPACE = 80;
/** A press is no drag, in pixels. */
const LEAST_MARKED = 4;
const NOTHING: Samples = { at: [], value: [], exact: [] };

/** Draws every chart of the page where the library is there, and again when the page was written over. */
export function charts(): void {
  const { uPlot } = window;
  if (uPlot === undefined) return;
  for (const figure of document.querySelectorAll<HTMLElement>("figure[data-subject]")) {
    const chart = new Chart(figure, uPlot);
    void chart.load();
    document.addEventListener("refreshed", () => void chart.load());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => chart.draw());
    new ResizeObserver(() => chart.resize()).observe(figure);
  }
}

class Chart {
  readonly #figure: HTMLElement;
  readonly #library: typeof UPlot;
  readonly #place = document.createElement("div");
  readonly #read: HTMLElement | null;
  #plot: UPlot | null = null;
  #shape: Shape = NO_SHAPE;
  /** All of the time that is asked for. */
  #whole: Samples = NOTHING;
  /** What is drawn: of what the viewer has zoomed into finer steps, once they are there. */
  #samples: Samples = NOTHING;
  /** What the viewer has zoomed into; null: the whole is shown. */
  #zoom: Zoom | null = null;
  #later: ReturnType<typeof setTimeout> | undefined;

  constructor(figure: HTMLElement, library: typeof UPlot) {
    this.#figure = figure;
    this.#library = library;
    this.#read = figure.querySelector<HTMLElement>(".zoom");
    // The drawing of the server stays for who does not see this one.
    this.#place.setAttribute("aria-hidden", "true");
    this.#place.className = "drawn";
    zoomButtons(figure, {
      shown: () => this.#shown(),
      whole: () => this.#span(),
      to: (zoom) => this.#zoomTo(zoom),
    });
  }

  /** Takes what is new; what the viewer has zoomed into stays as it is. */
  async load(): Promise<void> {
    const samples = await fetchSamples(this.#figure.dataset, this.#span());
    if (samples === null || samples.at.length < 2) return;
    this.#whole = samples;
    this.#shape = shapeOf(this.#figure.dataset.shape);
    if (this.#plot === null) this.draw();
    else if (this.#zoom === null) this.#show(samples);
    else this.#plot.redraw();
    if (this.#plot !== null) this.#align(this.#plot);
  }

  /** From nothing, in the colours of now. */
  draw(): void {
    if (this.#whole.at.length < 2) return;
    this.#plot?.destroy();
    if (this.#zoom === null) this.#samples = this.#whole;
    const { at, value } = this.#samples;
    this.#figure.querySelector(".plot")?.after(this.#place);
    this.#plot = new this.#library(this.#options(), [at, value], this.#place);
    dragByTouch(this.#plot, (zoom) => this.#zoomTo(zoom));
    if (this.#read !== null) this.#read.hidden = false;
  }

  /** All of the time that is asked for. */
  #span(): Zoom {
    const { from, to } = this.#figure.dataset;
    return { min: Number(from) / 1_000, max: Number(to) / 1_000 };
  }

  #shown(): Zoom {
    return this.#zoom ?? this.#span();
  }

  #show(samples: Samples): void {
    this.#samples = samples;
    this.#plot?.setData([samples.at, samples.value]);
  }

  /** Whoever looks closer sees closer: the steps of a month are hours, those of an hour are seconds. */
  #zoomTo(zoom: Zoom | null): void {
    if (this.#plot === null) return;
    clearTimeout(this.#later);
    this.#zoom = zoom;
    if (zoom === null) this.#show(this.#whole);
    else {
      this.#plot.setScale("x", zoom);
      this.#later = setTimeout(() => void this.#lookCloser(zoom), CALM_MS);
    }
    this.#align(this.#plot);
  }

  async #lookCloser(zoom: Zoom): Promise<void> {
    const samples = await fetchSamples(this.#figure.dataset, zoom);
    if (samples !== null && samples.at.length > 1 && this.#zoom === zoom) this.#show(samples);
  }

  resize(): void {
    const width = this.#place.clientWidth;
    if (width > 0 && this.#plot !== null && this.#plot.width !== width)
      this.#plot.setSize({ width, height: HEIGHT });
  }

  #options(): UPlot.Options {
    const { dataset } = this.#figure;
    const colours = coloursOf(this.#figure);
    const axis = { stroke: colours.ink2, font: `11px ${colours.font}`, ticks: { show: false } };
    return {
      width: this.#place.clientWidth || this.#figure.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: {
        drag: { x: true, y: false, setScale: false },
        points: { size: 7 },
        bind: {
          dblclick: () => () => {
            this.#zoomTo(null);
            return null;
          },
        },
      },
      scales: {
        x: {
          time: true,
          range: () => {
            const { min, max } = this.#shown();
            return [min, max];
          },
        },
        y: { range: (_, low, high) => rangeOf(low, high, this.#shape.limits) },
      },
      series: [{}, { stroke: colours.ink, width: 1.75, spanGaps: false, points: { show: false } }],
      axes: [
        {
          ...axis,
          grid: { show: false },
          space: TIME_SPACE,
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
        drawClear: [(plot) => drawSpans(plot, this.#shape, colours)],
        ready: [(plot) => this.#align(plot)],
        setSize: [(plot) => this.#align(plot)],
        draw: [(plot) => drawLimits(plot, this.#shape, colours)],
        setSelect: [(plot) => this.#take(plot)],
        setCursor: [(plot) => this.#tell(plot.cursor.idx ?? null)],
      },
    };
  }

  /** What a mouse has marked. */
  #take(plot: UPlot): void {
    const { left, width } = plot.select;
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    if (width < LEAST_MARKED) return;
    this.#zoomTo({ min: plot.posToVal(left, "x"), max: plot.posToVal(left + width, "x") });
  }

  /** The states beneath stand under the times that they are of. */
  #align({ bbox, width }: UPlot): void {
    const bands = this.#figure.querySelector<HTMLElement>('[data-live="bands"]');
    const picture = bands?.querySelector<SVGElement>("svg") ?? null;
    if (bands === null || picture === null) return;
    const left = bbox.left / devicePixelRatio;
    const { min, max } = this.#span();
    const shown = this.#shown();
    const share = (shown.max - shown.min) / (max - min);
    bands.style.marginLeft = `${left}px`;
    bands.style.marginRight = `${width - left - bbox.width / devicePixelRatio}px`;
    bands.style.overflow = share < 1 ? "hidden" : "";
    picture.style.width = `${100 / share}%`;
    picture.style.marginLeft = `${(-100 * (shown.min - min)) / (max - min) / share}%`;
  }

  /** The exact value under the pointer, and its time. */
  #tell(index: number | null): void {
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
