import type { TimelineEntry } from "../../api/schemas/history.ts";
import { alertPath, cut } from "../format/words.ts";
import { When } from "../parts/time.tsx";
import { Mark, type MarkName } from "../sprite.tsx";
import type { AlertData } from "./alert-data.ts";
import { NoticeLine } from "./notice-line.tsx";

/** Every change of state, every notice with its deliveries, and every action, the newest first. */
export function TimelineList({ data, now }: { readonly data: AlertData; readonly now: number }) {
  const { timeline, cursor, span } = data;
  const { alert } = data.detail;
  const entries = timeline?.entries ?? [];
  return (
    <section aria-labelledby="h-line" id="happened" data-live="timeline">
      <div class="sechead">
        <h2 id="h-line">What happened</h2>
        <p>every change of state, every notice and what was done</p>
      </div>
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
        {(timeline?.next !== null && timeline !== null) || cursor !== null ? (
          <p class="pager">
            {cursor === null ? (
              <span />
            ) : (
              <a class="btn" href={`${alertPath(alert)}&span=${span}#happened`}>
                Newest
              </a>
            )}
            {timeline !== null && timeline.next !== null && (
              <a
                class="btn"
                href={`${alertPath(alert)}&span=${span}&before=${encodeURIComponent(timeline.next)}#happened`}
              >
                Earlier
              </a>
            )}
          </p>
        ) : null}
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
      <li class="ev">
        <When at={entry.at} now={now} />
        <Mark name="acked" label="action" />
        <div>
          <p>
            <b>
              <bdi>{cut(entry.by, 60)}</bdi>
            </b>{" "}
            <bdi>{cut(entry.text, 200)}</bdi>
            {entry.comment !== null && entry.comment !== "" && `: “${cut(entry.comment, 200)}”`}
          </p>
        </div>
      </li>
    );
  }
  const mark: MarkName = entry.no_data
    ? "nodata"
    : entry.state === "ok"
      ? "ok"
      : `${severity}-${entry.state}`;
  const tone = entry.no_data ? "gone" : entry.state === "ok" ? "" : severity;
  const [first, ...rest] = entry.text.split(", ");
  return (
    <li class="ev">
      <When at={entry.at} now={now} />
      <Mark name={mark} tone={tone} label={entry.no_data ? "no data" : entry.state} />
      <div>
        <p>
          <b>{capital(first ?? "")}</b>
          {rest.length > 0 && `, ${rest.join(", ")}`}
        </p>
      </div>
    </li>
  );
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
