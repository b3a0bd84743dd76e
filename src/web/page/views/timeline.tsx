import type { TimelineEntry } from "../../api/schemas/history.ts";
import { alertPath, capital, said } from "../format/words.ts";
import { Event, Name, Pager, SectionHead } from "../parts/blocks.tsx";
import type { AlertData } from "./alert-chart.tsx";
import { NoticeLine } from "./notice-line.tsx";

/** Every change of state, every notice with its deliveries, and every action, the newest first. */
export function TimelineList({ data, now }: { readonly data: AlertData; readonly now: number }) {
  const { timeline, cursor, span } = data;
  const { alert } = data.detail;
  const { entries, next } = timeline ?? { entries: [], next: null };
  const here = `${alertPath(alert)}&span=${span}`;
  return (
    <section aria-labelledby="h-line" id="happened" data-live="timeline">
      <SectionHead
        id="line"
        title="What happened"
        say="every change of state, every notice and what was done"
      />
      <div class="card pad">
        {entries.length === 0 ? (
          <p class="dim">Nothing was written down of it yet.</p>
        ) : (
          <ol>
            {entries.map((entry) => (
              <Entry entry={entry} severity={alert.severity} now={now} />
            ))}
          </ol>
        )}
        {(next !== null || cursor !== null) && (
          <Pager
            first={cursor === null ? null : `${here}#happened`}
            next={next === null ? null : `${here}&before=${encodeURIComponent(next)}#happened`}
          />
        )}
      </div>
    </section>
  );
}

interface EntryProps {
  readonly entry: TimelineEntry;
  readonly severity: "critical" | "warning" | "info";
  readonly now: number;
}

function Entry({ entry, severity, now }: EntryProps) {
  if (entry.what === "notice")
    return <NoticeLine notice={entry.notice} now={now} deliveries before="Told: " />;
  if (entry.what === "action") {
    return (
      <Event at={entry.at} now={now} mark={{ name: "acked", label: "action" }}>
        <p>
          <Name as="b" of={entry.by} most={60} /> <Name of={entry.text} most={200} />
          {said(entry.comment)}
        </p>
      </Event>
    );
  }
  const { state } = entry;
  const mark = entry.no_data
    ? ({ name: "nodata", tone: "nodata", label: "no data" } as const)
    : state === "ok"
      ? ({ name: "ok", tone: "", label: "ok" } as const)
      : ({ name: `${severity}-${state}`, tone: severity, label: state } as const);
  const [first, ...rest] = entry.text.split(", ");
  return (
    <Event at={entry.at} now={now} mark={mark}>
      <p>
        <b>{capital(first ?? "")}</b>
        {rest.length > 0 && `, ${rest.join(", ")}`}
      </p>
    </Event>
  );
}
