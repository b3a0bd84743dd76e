import { Drawing, Frame } from "./frame.tsx";
import { TimeAxis } from "./marks.tsx";
import { WIDE } from "./path.ts";
import { type Span, trim } from "./scale.ts";

/** How many fired at once in one step of the time. */
export interface RibbonStep {
  readonly critical: number;
  readonly warning: number;
  readonly info: number;
}

interface RibbonProps {
  readonly desc: string;
  readonly steps: readonly RibbonStep[];
  readonly span: Span;
}

const PLOT = 43;
const FLOOR = 43.5;
const KINDS = ["critical", "warning", "info"] as const;

/** How many alerts fired over the last day: critical at the bottom. */
export function Ribbon({ desc, steps, span }: RibbonProps) {
  const most = Math.max(1, ...steps.map((step) => step.critical + step.warning + step.info));
  // Few are drawn as blocks that one can count.
  const unit = Math.min(4.9, PLOT / most);
  const gap = unit > 2 ? 0.6 : 0;
  return (
    <Frame title="Alerts firing in the last 24 hours" desc={desc} height={58}>
      <Drawing y={0} height={44}>
        {KINDS.map((kind) => (
          <path class={`r-${kind}`} d={blocks(steps, kind, unit, gap)} />
        ))}
      </Drawing>
      <line class="rail" x1="0" x2="100%" y1="44.5" y2="44.5" />
      <TimeAxis span={span} shares={[0, 0.25, 0.5, 0.75]} y={57} form="time" />
    </Frame>
  );
}

/** The blocks of one severity, each on those that are worse. */
function blocks(
  steps: readonly RibbonStep[],
  kind: (typeof KINDS)[number],
  unit: number,
  gap: number,
): string {
  const width = WIDE / Math.max(1, steps.length);
  return steps
    .map((step, i) => {
      if (step[kind] === 0) return "";
      const below = KINDS.slice(0, KINDS.indexOf(kind)).reduce((sum, one) => sum + step[one], 0);
      const height = trim(Math.max(1, step[kind] * unit - gap));
      const top = trim(FLOOR - (below + step[kind]) * unit + gap);
      const wide = trim(width * 0.77);
      return `M${trim((i + 0.12) * width)} ${top}h${wide}v${height}h${-wide}z`;
    })
    .join("");
}
