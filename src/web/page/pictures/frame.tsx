import type { Child } from "hono/jsx";
import type { Severity } from "../../../model/index.ts";
import { WIDE } from "./path.ts";

interface FrameProps {
  /** What the picture shows, in a few words. */
  readonly title: string;
  /** What one sees in it, for who does not. */
  readonly desc: string;
  readonly height: number;
  readonly severity?: Severity | null;
  readonly class?: string;
  readonly children?: Child;
}

/** A picture as wide as its place; its text is never scaled. */
export function Frame({ title, desc, height, severity, class: more = "", children }: FrameProps) {
  const name = [severity ?? "", more].filter((part) => part !== "").join(" ");
  return (
    <svg {...(name === "" ? {} : { class: name })} width="100%" height={height} role="img">
      <title>{title}</title>
      <desc>{desc}</desc>
      {children}
    </svg>
  );
}

interface DrawingProps {
  readonly y: number;
  readonly height: number;
  readonly children?: Child;
}

/** Lines in coordinates of `WIDE` by `height`, stretched to the picture's width. */
export function Drawing({ y, height, children }: DrawingProps) {
  return (
    <svg
      x="0"
      y={y}
      width="100%"
      height={height}
      viewBox={`0 0 ${WIDE} ${height}`}
      preserveAspectRatio="none"
    >
      {children}
    </svg>
  );
}

interface ClockProps {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly x: string;
  readonly y: number;
  readonly anchor: "start" | "middle" | "end";
  readonly text: string;
  /** How a script writes it in the viewer's zone. */
  readonly form: "time" | "clock" | "day";
  readonly before?: string;
}

/** A time in a picture: UTC, and the viewer's where a script runs. */
export function PictureTime({ at, x, y, anchor, text, form, before = "" }: ClockProps) {
  return (
    <text x={x} y={y} text-anchor={anchor}>
      {before}
      <tspan data-at={at} data-form={form}>
        {text}
      </tspan>
    </text>
  );
}
