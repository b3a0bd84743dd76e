import { DAY } from "../../../base/duration.ts";
import type { Overview } from "../../api/schemas/overview.ts";
import type { Around } from "../context.ts";
import { grouped } from "../format/words.ts";
import { Since, When } from "../parts/time.tsx";
import { isWatched } from "../parts/watch-line.tsx";
import { Ribbon } from "../pictures/ribbon.tsx";
import { Mark, type MarkName } from "../sprite.tsx";

/** In one second: how many fire, how many of them are critical, and how the day went. */
export function Verdict({
  around,
  overview,
}: {
  readonly around: Around;
  readonly overview: Overview;
}) {
  const { counts } = overview;
  const { critical, warning, info } = counts.firing_by;
  const calm = counts.firing === 0;
  const { watch } = around;
  const known = watch.faults.length === 0 || isWatched(watch) ? "" : ", as far as is known";
  return (
    <div class="verdict">
      {calm ? (
        <div class="calm">
          {known === "" && (
            <svg width="44" height="44" viewBox="0 0 16 16" aria-hidden="true">
              <use href="#resolved" />
            </svg>
          )}
          <div>
            <h1 data-live="h1">Nothing fires{known}</h1>
            <Tally overview={overview} />
            <Quiet overview={overview} now={around.now} />
          </div>
        </div>
      ) : (
        <div>
          <h1 data-live="h1">
            {grouped(counts.firing)} firing
            {critical > 0 && known === "" && (
              <>
                , {grouped(critical)} <span class="crit">critical</span>
              </>
            )}
            {known}
          </h1>
          <Tally overview={overview} />
        </div>
      )}
      <figure class="ribbon" data-live="ribbon">
        <figcaption>
          <span>Firing in the last 24 h, by severity</span>
          <span>from the bottom: critical, warning, info</span>
        </figcaption>
        <Ribbon
          desc={`Now ${grouped(critical)} critical, ${grouped(warning)} warning, ${grouped(info)} info; most at once ${grouped(mostOf(overview))}.`}
          steps={overview.ribbon.steps.map((step) => step ?? { critical: 0, warning: 0, info: 0 })}
          span={ribbonSpan(overview)}
        />
      </figure>
    </div>
  );
}

function ribbonSpan({ ribbon }: Overview): { from: number; to: number } {
  const from = Date.parse(ribbon.from);
  return { from, to: from + Math.max(1, ribbon.steps.length) * ribbon.step_ms };
}

function mostOf({ ribbon }: Overview): number {
  return Math.max(
    0,
    ...ribbon.steps.map((step) => (step === null ? 0 : step.critical + step.warning + step.info)),
  );
}

/** `Quiet for 3 h 11 m`, as far as the last day tells. */
function Quiet({ overview, now }: { readonly overview: Overview; readonly now: number }) {
  const { ribbon } = overview;
  const last = ribbon.steps.findLastIndex(
    (step) => step !== null && step.critical + step.warning + step.info > 0,
  );
  if (last < 0) return <p class="dim">Nothing fired in the last 24 h.</p>;
  const at = new Date(Date.parse(ribbon.from) + (last + 1) * ribbon.step_ms);
  if (at.getTime() >= now || now - at.getTime() > DAY) return null;
  return (
    <p class="dim">
      Quiet for <Since at={at.toISOString()} now={now} />, since{" "}
      <When at={at.toISOString()} now={now} />
    </p>
  );
}

function Tally({ overview }: { readonly overview: Overview }) {
  const { counts, groups } = overview;
  const { critical, warning, info } = counts.firing_by;
  const acked = counts.firing - counts.unacknowledged;
  const items: readonly (readonly [
    count: number,
    word: string,
    to: string,
    mark: MarkName,
    tone: string,
  ])[] = [
    [critical, "critical", "#firing", "critical-firing", "critical"],
    [warning, "warning", "#firing", "warning-firing", "warning"],
    [info, "info", "#firing", "info-firing", "info"],
    [groups.length > 0 ? acked : 0, "acknowledged", "#firing", "acked", ""],
    [counts.pending + counts.recovering, "pending, recovering", "#waiting", "warning-pending", ""],
    [counts.no_data, "no data", "#nodata", "nodata", "nodata"],
    [counts.held_back, "held back", "#held", "silenced", ""],
    [counts.ok, "ok", "#ok", "ok", ""],
  ];
  return (
    <p class="tally" data-live="tally">
      {items
        .filter(([count]) => count > 0)
        .map(([count, word, to, mark, tone]) => (
          <a href={to}>
            <Mark name={mark} tone={tone} />
            <b>{grouped(count)}</b> {word}
          </a>
        ))}
    </p>
  );
}
