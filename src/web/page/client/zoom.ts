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
