import { Frame } from "./frame.tsx";
import { percent, trim } from "./scale.ts";

/** One hour of one day. */
export interface HeatCell {
  readonly value: number;
  readonly text: string;
}

export interface HeatDay {
  /** `Sun 22`. */
  readonly label: string;
  readonly short: string;
  readonly today: boolean;
  /** By hour; null: no data, absent: not yet there or before all that is kept. */
  readonly cells: readonly (HeatCell | null | undefined)[];
}

export interface HeatScale {
  /** Four values that part five levels, rising. */
  readonly cuts: readonly number[];
  /** At or below it is the cheapest tenth; null: too few values to say. */
  readonly cheap: number | null;
  /** Past it a rule fires; null: none is given. */
  readonly limit: number | null;
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** With fewer values a tenth says nothing. */
const LEAST_FOR_TENTH = 24;

/** Levels by how common a value is, the last one from the limit on if that is high. */
export function heatScale(values: readonly number[], limit: number | null): HeatScale {
  const sorted = [...values].toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  const top = limit !== null && limit > at(0.8) ? limit : at(0.97);
  return {
    cuts: [at(0.35), at(0.6), at(0.8), top],
    cheap: sorted.length < LEAST_FOR_TENTH ? null : at(0.1),
    limit,
  };
}

/** 1 to 5, by the cuts. */
export function heatLevel(value: number, { cuts }: HeatScale): number {
  return 1 + cuts.filter((cut) => value >= cut).length;
}

interface HeatProps {
  readonly title: string;
  readonly desc: string;
  readonly days: readonly HeatDay[];
  readonly scale: HeatScale;
  /** The hour that is under way, of the day of today. */
  readonly hour: number;
}

/** Days down, hours across. */
export function WideHeat({ title, desc, days, scale, hour }: HeatProps) {
  const left = 0.062;
  const width = (1 - left) / 24;
  const row = 30;
  return (
    <Frame title={title} desc={desc} height={18 + days.length * row} class="warning wide">
      {HOURS.map((one) => (
        <text x={percent(left + (one + 0.5) * width)} y="11" text-anchor="middle">
          {two(one)}
        </text>
      ))}
      {days.map((day, i) => (
        <text {...(day.today ? { class: "strong" } : {})} x="0" y={36 + i * row}>
          {day.label}
        </text>
      ))}
      {days.flatMap((day, i) =>
        HOURS.map((one) => (
          <Cell
            cell={day.cells[one]}
            x={left + one * width}
            width={width}
            y={17 + i * row}
            height={row}
            scale={scale}
            now={day.today && one === hour}
          />
        )),
      )}
    </Frame>
  );
}

/** Hours down, days across: for a phone. */
export function TallHeat({ title, desc, days, scale, hour }: HeatProps) {
  const left = 0.1;
  const width = (1 - left) / Math.max(1, days.length);
  const row = 22;
  return (
    <Frame title={title} desc={desc} height={18 + 24 * row} class="warning tall">
      {days.map((day, i) => (
        <text
          {...(day.today ? { class: "strong" } : {})}
          x={percent(left + (i + 0.5) * width)}
          y="11"
          text-anchor="middle"
        >
          {day.short}
        </text>
      ))}
      {HOURS.map((one) => (
        <text x="0" y={32 + one * row}>
          {two(one)}
        </text>
      ))}
      {HOURS.flatMap((one) =>
        days.map((day, i) => (
          <Cell
            cell={day.cells[one]}
            x={left + i * width}
            width={width}
            y={17 + one * row}
            height={row}
            scale={scale}
            now={day.today && one === hour}
          />
        )),
      )}
    </Frame>
  );
}

interface CellProps {
  readonly cell: HeatCell | null | undefined;
  readonly x: number;
  readonly width: number;
  readonly y: number;
  readonly height: number;
  readonly scale: HeatScale;
  readonly now: boolean;
}

function Cell({ cell, x, width, y, height, scale, now }: CellProps) {
  if (cell === undefined) return null;
  const place = { x: percent(x + 0.0006), y, width: percent(width - 0.0012), height: height - 1 };
  if (cell === null) return <rect class="qn" {...place} />;
  const level = heatLevel(cell.value, scale);
  const frame =
    scale.limit !== null && cell.value > scale.limit
      ? "hot"
      : scale.cheap !== null && cell.value <= scale.cheap
        ? "cheap"
        : now
          ? "nowc"
          : null;
  return (
    <>
      <rect class={`q${level}`} {...place} />
      {frame !== null && (
        <rect
          class={frame}
          x={percent(x + 0.0016)}
          y={y + 1}
          width={percent(width - 0.0032)}
          height={height - 3}
        />
      )}
      <text
        class={`cell q${level}t`}
        x={percent(x + width / 2)}
        y={trim(y + height / 2 + 4)}
        text-anchor="middle"
      >
        {cell.text}
      </text>
    </>
  );
}

function two(hour: number): string {
  return String(hour).padStart(2, "0");
}

/** What each level and frame means; `texts` are the four cuts. */
export function HeatLegend({ texts }: { readonly texts: readonly string[] }) {
  const [a = "", b = "", c = "", d = ""] = texts;
  const levels = [`below ${a}`, `${a} to ${b}`, `${b} to ${c}`, `${c} to ${d}`, `${d} and more`];
  return (
    <p class="legend warning">
      {levels.map((text, i) => (
        <span>
          <svg width="22" height="14" aria-hidden="true">
            <rect class={`q${i + 1}`} width="22" height="14" />
            <rect class="kedge" x=".5" y=".5" width="21" height="13" />
          </svg>
          {text}
        </span>
      ))}
      {(
        [
          ["cheap", "cheapest tenth"],
          ["hot", "above the limit"],
        ] as const
      ).map(([name, text]) => (
        <span>
          <svg width="22" height="14" aria-hidden="true">
            <rect class={name} x="1.5" y="1.5" width="19" height="11" />
          </svg>
          {text}
        </span>
      ))}
      <span>
        <svg width="22" height="14" aria-hidden="true">
          <rect class="qn" width="22" height="14" />
        </svg>
        no data
      </span>
    </p>
  );
}

interface UsualDayProps {
  readonly title: string;
  readonly desc: string;
  /** By hour; null: nothing is known of it. */
  readonly medians: readonly (number | null)[];
  readonly hour: number;
  readonly limit: { readonly value: number; readonly text: string } | null;
}

/** The median of each hour, with the limit above. */
export function UsualDay({ title, desc, medians, hour, limit }: UsualDayProps) {
  const floor = 104;
  const top = Math.max(...medians.map((value) => value ?? 0));
  // A limit far above would press the day flat: it is then named at the top edge.
  const reach = limit !== null && limit.value < top * 2.5 ? Math.max(top, limit.value) : top * 1.4;
  const width = 1 / 24;
  return (
    <Frame title={title} desc={desc} height={120} severity="warning">
      {medians.map((value, i) => {
        const height = reach > 0 ? ((value ?? 0) / reach) * (floor - 2) : 0;
        return (
          <>
            <rect
              class={i === hour ? "bf" : "bf far"}
              x={percent((i + 0.1) * width)}
              y={trim(floor - height)}
              width={percent(width * 0.8)}
              height={trim(height)}
            />
            {i % 3 === 0 && (
              <text x={percent((i + 0.5) * width)} y="118" text-anchor="middle">
                {two(i)}
              </text>
            )}
          </>
        );
      })}
      {limit !== null && <DayLimit limit={limit} reach={reach} floor={floor} />}
      <line class="rail" x1="0" x2="100%" y1={floor + 0.5} y2={floor + 0.5} />
    </Frame>
  );
}

function DayLimit({
  limit,
  reach,
  floor,
}: {
  readonly limit: { readonly value: number; readonly text: string };
  readonly reach: number;
  readonly floor: number;
}) {
  const seen = reach > 0 && limit.value <= reach;
  const y = seen ? trim(floor - (limit.value / reach) * (floor - 2)) : 1;
  return (
    <>
      <line class="limit" x1="0" x2="100%" y1={y} y2={y} />
      <text class="limtext halo" x="0" y={y + 13}>
        {seen ? limit.text : `${limit.text}, above the picture`}
      </text>
    </>
  );
}
