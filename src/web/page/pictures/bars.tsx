import type { Severity } from "../../../model/index.ts";
import { Drawing, Frame } from "./frame.tsx";
import { WIDE } from "./path.ts";
import { percent } from "./scale.ts";

/** Where the limit stands in every distance bar. */
const LIMIT_AT = 0.75;

interface DistanceProps {
  readonly severity: Severity | null;
  /** How much of the way to its limit a value has gone: 1 is at the limit. Negative counts as 0. */
  readonly ratio: number;
}

/**
 * How near a value is to its limit: the limit is the tick, in every row at the same place. The words beside it
 * say the same, and are what is read aloud.
 */
export function DistanceBar({ severity, ratio }: DistanceProps) {
  const share = Math.min(1, Math.max(0, ratio) * LIMIT_AT);
  const fill = ratio >= 1 ? "bf over" : ratio >= 0.5 ? "bf" : "bf far";
  return (
    <svg
      {...(severity === null ? {} : { class: severity })}
      width="100%"
      height="12"
      aria-hidden="true"
    >
      <rect class="bt" y="3" width="100%" height="6" />
      <rect class={fill} y="3" width={percent(share)} height="6" />
      <line class="bl" x1={percent(LIMIT_AT)} x2={percent(LIMIT_AT)} y2="12" />
    </svg>
  );
}

interface HeldProps {
  readonly title: string;
  readonly desc: string;
  readonly severity: Severity;
  /** 0…1 of the time that is needed. */
  readonly share: number;
}

/** How much of the time that a state needs has passed. */
export function HeldBar({ title, desc, severity, share }: HeldProps) {
  const width = percent(Math.min(1, Math.max(0, share)));
  return (
    <Frame title={title} desc={desc} height={8} severity={severity}>
      <rect class="bt" x="0" y="1" width="100%" height="6" rx="1" />
      <rect x="0" y="1" width={width} height="6" rx="1" fill={`url(#h-${HATCH[severity]})`} />
      <rect class="frame" x="0.5" y="1.5" width="100%" height="5" />
    </Frame>
  );
}

/** The names of the patterns of a severity in the sprite. */
export const HATCH: Readonly<Record<Severity, string>> = {
  critical: "crit",
  warning: "warn",
  info: "info",
};

interface TicksProps {
  readonly title: string;
  readonly desc: string;
  readonly severity: Severity;
  /** How far each is: 1 at its limit, 2 as far past it again. */
  readonly ratios: readonly number[];
}

const TICKS_LIMIT = 0.25;
/** More of them than pixels are one. */
const MOST_TICKS = 100;

/** Many alerts of one rule: a tick for each, by how far past its limit it is. */
export function Ticks({ title, desc, severity, ratios }: TicksProps) {
  const farthest = Math.max(1.2, ...ratios);
  const places = new Set(
    ratios.map((one) => {
      const past = Math.max(0, one - 1) / (farthest - 1);
      return Math.round((TICKS_LIMIT + past * (0.99 - TICKS_LIMIT)) * MOST_TICKS) / MOST_TICKS;
    }),
  );
  return (
    <Frame title={title} desc={desc} height={26} severity={severity}>
      <line class="rail" x1="0" x2="100%" y1="20" y2="20" />
      <line class="bl" x1={percent(TICKS_LIMIT)} x2={percent(TICKS_LIMIT)} y1="4" y2="24" />
      <text x={percent(TICKS_LIMIT)} dx="-4" y="10" text-anchor="end">
        limit
      </text>
      <Drawing y={0} height={26}>
        <path
          class="tickd"
          d={[...places].map((at) => `M${Math.round(at * WIDE)} 8v12`).join("")}
        />
      </Drawing>
    </Frame>
  );
}

interface ChangeBarProps {
  readonly title: string;
  readonly desc: string;
  readonly severity: Severity | null;
  /** -1…1 of the greatest change beside it. */
  readonly share: number;
}

/** A change to the left or the right of nothing. */
export function ChangeBar({ title, desc, severity, share }: ChangeBarProps) {
  const width = Math.min(1, Math.abs(share)) / 2;
  return (
    <Frame title={title} desc={desc} height={12} severity={severity}>
      <line class="rail" x1="50%" x2="50%" y1="0" y2="12" />
      <rect
        class={share < 0 ? "bf over" : "bf"}
        x={percent(share < 0 ? 0.5 - width : 0.5)}
        y="3"
        width={percent(width)}
        height="6"
      />
    </Frame>
  );
}
