import type { Alert, AlertList } from "../../api/schemas/alerts.ts";
import type { NoticeList } from "../../api/schemas/history.ts";
import type { Overview } from "../../api/schemas/overview.ts";
import { grouped, liveKey } from "../format/words.ts";
import { AlertRow, HeldRow, NoDataRow, WaitingRow } from "../parts/alert-row.tsx";
import { AlertTable } from "../parts/alert-table.tsx";
import type { Around } from "../parts/around.ts";
import { Bucket } from "../parts/bucket.tsx";
import { Layout } from "../parts/layout.tsx";
import { Empty } from "./empty.tsx";
import { Nearest } from "./nearest.tsx";
import { NoticeLine } from "./notice-line.tsx";
import { Verdict } from "./verdict.tsx";

export interface OverviewData {
  readonly overview: Overview;
  /** The alerts that are ok, a page of them by rule. */
  readonly ok: AlertList;
  readonly okCursor: string | null;
  /** Only where nothing fires: what was told last. */
  readonly told: NoticeList | null;
}

/** First what fires; then what may, what is not known and what is held back; then everything else. */
export function OverviewPage({
  around,
  data,
}: {
  readonly around: Around;
  readonly data: OverviewData;
}) {
  const { overview } = data;
  const { watch, firing, groups, waiting, no_data: missing, held_back: held } = overview;
  if (watch.rules === 0) {
    return (
      <Layout around={around} current="/">
        <Empty />
      </Layout>
    );
  }
  const quiet = new Set(held.first.map(liveKey));
  const loud = firing.first.filter((alert) => !quiet.has(liveKey(alert)));
  const row = { viewer: around.viewer, now: around.now, back: around.here };
  return (
    <Layout around={around} current="/">
      <Verdict around={around} overview={overview} />
      {(loud.length > 0 || groups.length > 0) && (
        <section class="sec" id="firing" aria-labelledby="h-firing">
          <header>
            <h2 id="h-firing">
              {groups.length > 0 ? "Firing by rule" : "Firing"}{" "}
              <span class="cnt">
                {groups.length > 0 ? rulesWords(overview) : grouped(loud.length)}
              </span>
            </h2>
            <p>
              {groups.length > 0
                ? "critical first, then the one with the most"
                : "critical first, then the newest; acknowledged last"}
            </p>
          </header>
          {groups.length > 0 && <Chips overview={overview} />}
          <p class="news" id="news" hidden>
            <a href={around.here} />
          </p>
          {groups.length > 0 ? (
            <div class="alerts">
              {groups.map((group, i) => (
                <Bucket group={group} open={i === 0} whole={i < WHOLE_BUCKETS} {...row} />
              ))}
              {groups.length < overview.groups_total && (
                <p class="pager pad">
                  <span>{grouped(overview.groups_total - groups.length)} more rules fire</span>
                  <a class="btn" href="/find?state=firing">
                    All alerts that fire
                  </a>
                </p>
              )}
            </div>
          ) : (
            <ul class="alerts">
              {loud.map((alert) => (
                <AlertRow alert={alert} failing={watch.failing} {...row} />
              ))}
            </ul>
          )}
        </section>
      )}
      {loud.length === 0 && groups.length === 0 && (
        <p class="news" id="news" hidden>
          <a href={around.here} />
        </p>
      )}
      <Rows
        id="waiting"
        title="Pending and recovering"
        say="true, or over, but not for long enough"
        list={waiting}
      >
        {waiting.first.map((alert) => (
          <WaitingRow alert={alert} {...row} />
        ))}
      </Rows>
      <Rows
        id="nodata"
        title="No data"
        say="what these rules would say is not known"
        list={missing}
      >
        {missing.first.map((alert) => (
          <NoDataRow alert={alert} {...row} />
        ))}
      </Rows>
      <Rows id="held" title="Held back" say="firing, and nobody is told" list={held}>
        {held.first.map((alert) => (
          <HeldRow alert={alert} {...row} />
        ))}
      </Rows>
      {data.told !== null && <Nearest alerts={data.ok} />}
      {data.told !== null && data.told.notices.length > 0 && (
        <section class="sec" aria-labelledby="h-told">
          <header>
            <h2 id="h-told">Last told</h2>
            <p>
              <a href="/notices">all notices of the last 7 days</a>
            </p>
          </header>
          <div class="card pad">
            <ol>
              {data.told.notices.map((notice) => (
                <NoticeLine notice={notice} now={around.now} />
              ))}
            </ol>
          </div>
        </section>
      )}
      <Everything around={around} data={data} />
    </Layout>
  );
}

interface RowsProps {
  readonly id: string;
  readonly title: string;
  readonly say: string;
  readonly list: { readonly total: number; readonly first: readonly Alert[] };
  readonly children: unknown;
}

/** The others show their worst alone, and lead to all of theirs. */
const WHOLE_BUCKETS = 5;

const STATE_OF: Readonly<Record<string, string>> = {
  waiting: "waiting",
  nodata: "no_data",
  held: "held_back",
};

function Rows({ id, title, say, list, children }: RowsProps) {
  if (list.total === 0) return null;
  return (
    <section class="sec" id={id} aria-labelledby={`h-${id}`}>
      <header>
        <h2 id={`h-${id}`}>
          {title} <span class="cnt">{grouped(list.total)}</span>
        </h2>
        <p>{say}</p>
      </header>
      <ul class="rows">{children}</ul>
      {list.total > list.first.length && (
        <p class="pager">
          <span>
            {grouped(list.first.length)} of {grouped(list.total)}
          </span>
          <a class="btn" href={`/find?state=${STATE_OF[id] ?? id}`}>
            Show all
          </a>
        </p>
      )}
    </section>
  );
}

/** `7 rules`, `25 of 40 rules`. */
function rulesWords({ groups, groups_total: total }: Overview): string {
  const few = groups.length < total ? `${grouped(groups.length)} of ` : "";
  return `${few}${total === 1 ? "1 rule" : `${grouped(total)} rules`}`;
}

/** Where many fire: those of one severity, and those that nobody looks after. */
function Chips({ overview: { counts } }: { readonly overview: Overview }) {
  const { critical, warning, info } = counts.firing_by;
  const chips: readonly (readonly [count: number, words: string, query: string])[] = [
    [counts.firing, "all, one by one", ""],
    [critical, "critical", "&severity=critical"],
    [warning, "warning", "&severity=warning"],
    [info, "info", "&severity=info"],
    [counts.unacknowledged, "not acknowledged", "&acked=no"],
  ];
  return (
    <nav class="chips" aria-label="Some of those that fire" data-live="chips">
      {chips
        .filter(([count]) => count > 0)
        .map(([count, words, query]) => (
          <a href={`/find?state=firing${query}`}>
            {words} {grouped(count)}
          </a>
        ))}
    </nav>
  );
}

/** All that is ok, by rule, fifty a page. */
function Everything({ around, data }: { readonly around: Around; readonly data: OverviewData }) {
  const { ok } = data;
  if (ok.alerts.length === 0) return null;
  return (
    <section class="sec" id="ok" aria-labelledby="h-ok">
      <header>
        <h2 id="h-ok">
          Everything else <span class="cnt">{grouped(ok.total)} ok, by rule</span>
        </h2>
        <p>The tick in each bar is the limit.</p>
      </header>
      <AlertTable
        alerts={ok.alerts}
        caption="Alerts that are ok, by rule, the nearest to its limit first"
        rules
        allOk={ok.alerts.every((alert) => alert.no_data === null)}
        now={around.now}
        totals={ok.rules}
      />
      <p class="pager">
        <span>
          {grouped(ok.alerts.length)} of {grouped(ok.total)}
          {ok.rules !== undefined && ", the nearest of each rule"}
        </span>
        <span>
          {ok.rules !== undefined && (
            <a class="btn" href="/find?state=ok">
              One by one
            </a>
          )}{" "}
          {data.okCursor !== null && (
            <a class="btn" href="/#ok">
              First page
            </a>
          )}{" "}
          {ok.next !== null && (
            <a class="btn" href={`/?after=${encodeURIComponent(ok.next)}#ok`}>
              Next page
            </a>
          )}
        </span>
      </p>
    </section>
  );
}
