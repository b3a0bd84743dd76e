import type UPlot from "uplot";

/** A part of a chart's time, in seconds. */
export interface Zoom {
  readonly min: number;
  readonly max: number;
}

interface Zooming {
  readonly shown: () => Zoom;
  readonly whole: () => Zoom;
  /** Null: to the whole. */
  readonly to: (zoom: Zoom | null) => void;
}

/** Nobody needs to see less. */
const LEAST_SECONDS = 60;
/** A finger is not as still as a mouse. */
const LEAST_DRAG = 12;

/** What a mouse does by dragging, keys and fingers do with buttons. */
export function zoomButtons(figure: HTMLElement, { shown, whole, to }: Zooming): void {
  const group = figure.querySelector<HTMLElement>(".zooms");
  if (group === null) return;
  group.hidden = false;
  group.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    const { min, max } = shown();
    const length = max - min;
    switch (button?.dataset.zoom) {
      case "in":
        return to(within({ min: min + length / 4, max: max - length / 4 }, whole()));
      case "out":
        return to(within({ min: min - length / 2, max: max + length / 2 }, whole()));
      case "earlier":
        return to(within({ min: min - length / 2, max: max - length / 2 }, whole()));
      case "later":
        return to(within({ min: min + length / 2, max: max + length / 2 }, whole()));
      case "whole":
        return to(null);
      default:
        return;
    }
  });
}

/** The part as far as there is one, moved to where it lies in the whole; null: it is the whole. */
function within(part: Zoom, whole: Zoom): Zoom | null {
  const length = Math.max(LEAST_SECONDS, part.max - part.min);
  if (length >= whole.max - whole.min) return null;
  const middle = (part.min + part.max) / 2;
  const min = Math.min(whole.max - length, Math.max(whole.min, middle - length / 2));
  return { min, max: min + length };
}

/** A finger that moves sideways marks a part, as a mouse does. */
export function dragByTouch(plot: UPlot, to: (zoom: Zoom) => void): void {
  const { over } = plot;
  let from: number | null = null;
  const place = (event: PointerEvent): number =>
    Math.min(over.clientWidth, Math.max(0, event.clientX - over.getBoundingClientRect().left));
  const mark = (left: number, width: number): void =>
    plot.setSelect({ left, width, top: 0, height: width === 0 ? 0 : over.clientHeight }, false);
  over.addEventListener("pointerdown", (event) => {
    from = event.pointerType === "touch" && event.isPrimary ? place(event) : null;
  });
  over.addEventListener("pointermove", (event) => {
    if (from === null) return;
    const at = place(event);
    plot.setCursor({ left: at, top: 0 });
    mark(Math.min(from, at), Math.abs(at - from));
  });
  over.addEventListener("pointerup", (event) => {
    if (from === null) return;
    const [left, right] = [Math.min(from, place(event)), Math.max(from, place(event))];
    from = null;
    mark(0, 0);
    if (right - left >= LEAST_DRAG)
      to({ min: plot.posToVal(left, "x"), max: plot.posToVal(right, "x") });
  });
  over.addEventListener("pointercancel", () => {
    from = null;
    mark(0, 0);
  });
}

/** Numbers of the chart, in the form that the server has learnt from the API. */

const short = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });

/** A value for the axis: in the unit of the page, with M and B for what is large. */
export function numberText(
  value: number,
  { power = "0", before = "", after = "" }: DOMStringMap,
): string {
  const number = value / 10 ** Number(power);
  const size = Math.abs(number);
  const [divisor, letter] =
    size >= 1e12 ? [1e12, "T"] : size >= 1e9 ? [1e9, "B"] : size >= 1e6 ? [1e6, "M"] : [1, ""];
  // Long units stand in the heading.
  return `${before}${short.format(number / divisor)}${letter}${after.length > 5 ? "" : after}`;
}

/** All digits of an exact value, the point moved to where people read it. */
export function exactText(
  exact: string,
  { power = "0", before = "", after = "" }: DOMStringMap,
): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(exact);
  if (match === null) return exact;
  const [, sign = "", whole = "", fraction = ""] = match;
  const places = fraction.length + Number(power);
  const digits = (whole + fraction + "0".repeat(Math.max(0, -places))).padStart(
    Math.max(0, places) + 1,
    "0",
  );
  const cut = digits.length - Math.max(0, places);
  const head = digits
    .slice(0, cut)
    .replace(/^0+(?=\d)/, "")
    .replace(/\B(?=(?:\d{3})+$)/g, ",");
  const tail = digits.slice(cut).replace(/0+$/, "");
  return `${sign}${before}${head}${tail === "" ? "" : `.${tail}`}${after}`;
}
