import type { Severity } from "../../../model/index.ts";
import { HATCH } from "./bars.tsx";
import { Frame } from "./frame.tsx";
import { percent, type Span, timeShare, within } from "./scale.ts";

export type BandState = "ok" | "pending" | "firing" | "recovering" | "no_data";

export interface Band extends Span {
  readonly state: BandState;
}

interface BandsProps {
  readonly title: string;
  readonly desc: string;
  readonly severity: Severity;
  readonly bands: readonly Band[];
  /** Acknowledged or silenced. */
  readonly held: readonly Span[];
  readonly span: Span;
}

const LEAST = 0.006;

/** The states of an alert along the time of the chart above. */
export function Bands({ title, desc, severity, bands, held, span }: BandsProps) {
  return (
    <Frame title={title} desc={desc} height={26} severity={severity}>
      <line class="b-ok" x1="0" x2="100%" y1="9" y2="9" />
      {bands
        .filter(({ state }) => state !== "ok")
        .flatMap((band) =>
          within([band], span, LEAST).map((one) => ({ ...one, state: band.state })),
        )
        .map((one) => {
          const x = percent(timeShare(one.from, span));
          const width = percent(timeShare(one.to, span) - timeShare(one.from, span));
          return <BandShape state={one.state} x={x} width={width} severity={severity} />;
        })}
      {within(held, span, LEAST).map((one) => (
        <line
          class="b-held"
          x1={percent(timeShare(one.from, span))}
          x2={percent(timeShare(one.to, span))}
          y1="22"
          y2="22"
        />
      ))}
    </Frame>
  );
}

interface ShapeProps {
  readonly state: BandState;
  readonly x: string;
  readonly width: string;
  readonly severity: Severity;
}

function BandShape({ state, x, width, severity }: ShapeProps) {
  if (state === "firing") return <rect class="b-firing" x={x} y="2" width={width} height="14" />;
  const fill =
    state === "pending"
      ? `url(#h-${HATCH[severity]})`
      : state === "recovering"
        ? `url(#d-${HATCH[severity]})`
        : null;
  return (
    <>
      <rect class="rngb" x={x} y="0" width={width} height="18" />
      <rect
        class={`b-${state}`}
        {...(fill === null ? {} : { fill })}
        x={x}
        y="3"
        width={width}
        height="12"
      />
    </>
  );
}

/** What each band means, with the shapes as they are drawn. */
export function BandsLegend({ severity }: { readonly severity: Severity }) {
  const box = (state: BandState) => (
    <svg width="22" height="14" aria-hidden="true">
      <BandShape state={state} x="1" width="20" severity={severity} />
    </svg>
  );
  const line = (name: string) => (
    <svg width="22" height="14" aria-hidden="true">
      <line class={name} x1="0" x2="22" y1="7" y2="7" />
    </svg>
  );
  return (
    <p class={`legend ${severity}`}>
      <span>{line("b-ok")}ok</span>
      <span>{box("pending")}pending</span>
      <span>{box("firing")}firing</span>
      <span>{box("recovering")}recovering</span>
      <span>{box("no_data")}no data</span>
      <span>{line("b-held")}acknowledged or silenced</span>
    </p>
  );
}
