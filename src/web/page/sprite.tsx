import { raw } from "hono/html";

/**
 * The marks and patterns that a page uses by name. Shape is severity: diamond critical, triangle warning,
 * disc info. Fill is state: solid firing, half pending, outline with a tick recovering.
 */

type Shape = readonly [name: string, inner: string];

const line = (d: string, width = 1.5): string =>
  `<path fill="none" stroke="currentColor" stroke-width="${width}" stroke-linejoin="round" d="${d}"/>`;
const solid = (d: string): string => `<path fill="currentColor" d="${d}"/>`;
const ring = (r: number, width = 1.5, more = ""): string =>
  `<circle cx="8" cy="8" r="${r}" fill="none" stroke="currentColor" stroke-width="${width}"${more}/>`;

const DIAMOND = "M8 1.6 14.4 8 8 14.4 1.6 8z";
const TRIANGLE = "M8 2.4 14.2 13.6H1.8z";
const CHECK = line("m3 8.4 3.3 3.3L13 4.6", 2);

const SHAPES: readonly Shape[] = [
  [
    "critical-firing",
    `${solid("M8 .6 15.4 8 8 15.4.6 8z")}<path class="on" d="M7.1 4.2h1.8l-.3 4.9H7.4zM7.1 10.2h1.8V12H7.1z"/>`,
  ],
  ["critical-pending", line(DIAMOND, 1.6) + solid("M1.6 8h12.8L8 14.4z")],
  ["critical-recovering", line(DIAMOND, 1.6) + line("m5.2 8 2 2 3.6-3.8", 1.6)],
  ["warning-firing", solid("M8 1.2 15.4 14.4H.6z")],
  ["warning-pending", line(TRIANGLE, 1.6) + solid("M5 8h6l3.2 5.6H1.8z")],
  ["warning-recovering", line(TRIANGLE, 1.6) + line("m5.6 9.8 1.8 1.7 3-3.2")],
  ["info-firing", '<circle cx="8" cy="8" r="6.2" fill="currentColor"/>'],
  ["info-pending", ring(5.6, 1.6) + solid("M2.4 8h11.2a5.6 5.6 0 0 1-11.2 0z")],
  ["info-recovering", ring(5.6, 1.6) + line("m5.4 8 1.9 1.9 3.3-3.6")],
  [
    "nodata",
    `${ring(6.4, 1.5, ' stroke-dasharray="2.6 2.4"')}${line("M6 6.3a2 2 0 1 1 2.7 1.9c-.5.2-.7.5-.7 1.1")}<circle cx="8" cy="11.2" r=".95" fill="currentColor"/>`,
  ],
  ["ok", ring(3.2, 1.4)],
  ["check", CHECK],
  ["resolved", ring(6.4) + line("m5 8.2 2.1 2.1L11 6", 1.6)],
  [
    "silenced",
    line(
      "M3.2 11.4c1-1 1.2-2 1.2-4a3.6 3.6 0 0 1 7.2 0c0 2 .2 3 1.2 4zM6.6 13.6h2.8M2 2l12 12",
      1.4,
    ),
  ],
  ["muted", line("M13.4 9.9A5.8 5.8 0 1 1 6.3 2.5a4.8 4.8 0 0 0 7.1 7.4z")],
  [
    "acked",
    `<circle cx="8" cy="5" r="2.7" fill="none" stroke="currentColor" stroke-width="1.4"/>${line("M2.8 14c.4-3 2.4-4.4 5.2-4.4s4.8 1.4 5.2 4.4", 1.4)}`,
  ],
  ["failed", line("m4 4 8 8m0-8-8 8", 2)],
  ["retry", line("M13 8a5 5 0 1 1-1.5-3.6M13 2v3h-3", 1.7)],
  ["note", line("M2 3.5h12v9H2zl6 5 6-5", 1.4)],
  ["worse", line("m3 7 5-4 5 4M3 12.5l5-4 5 4", 1.8)],
  [
    "broken",
    `${solid("M5 .8h6L15.2 5v6L11 15.2H5L.8 11V5z")}<path fill="none" class="ons" stroke-width="1.8" d="m5.4 5.4 5.2 5.2m0-5.2-5.2 5.2"/>`,
  ],
];

export type MarkName =
  | `${"critical" | "warning" | "info"}-${"firing" | "pending" | "recovering"}`
  | "nodata"
  | "ok"
  | "check"
  | "resolved"
  | "silenced"
  | "muted"
  | "acked"
  | "failed"
  | "retry"
  | "note"
  | "worse"
  | "broken";

const hatch = (name: string, width: number): string =>
  `<pattern id="h-${name}" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="p-${name}" stroke-width="${width}" d="M0 0v5"/></pattern>`;
const dots = (name: string): string =>
  `<pattern id="d-${name}" width="4" height="4" patternUnits="userSpaceOnUse"><circle class="d-${name}" cx="2" cy="2" r="1"/></pattern>`;

const SPRITE = [
  ...SHAPES.map(([name, inner]) => `<symbol id="${name}" viewBox="0 0 16 16">${inner}</symbol>`),
  hatch("crit", 2.6),
  hatch("warn", 2.6),
  hatch("info", 2.6),
  hatch("ink", 1.2),
  hatch("acc", 2),
  dots("crit"),
  dots("warn"),
  dots("info"),
  dots("ink"),
].join("");

/** Once on each page, before what uses it. */
export function Sprite() {
  return (
    <svg class="sprite" aria-hidden="true">
      <defs>{raw(SPRITE)}</defs>
    </svg>
  );
}

interface MarkProps {
  readonly name: MarkName;
  /** `critical`, `nodata`, `good`: its colour; empty: grey. */
  readonly tone?: string;
  /** What it says where no word stands beside it. */
  readonly label?: string;
}

export function Mark({ name, tone = "", label }: MarkProps) {
  const said = label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label };
  return (
    <svg class={tone === "" ? "m" : `m ${tone}`} viewBox="0 0 16 16" {...said}>
      <use href={`#${name}`} />
    </svg>
  );
}
