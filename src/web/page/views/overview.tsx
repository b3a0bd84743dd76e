import type { Child } from "hono/jsx";
import type { Alert, AlertList } from "../../api/schemas/alerts.ts";
import type { NoticeList } from "../../api/schemas/history.ts";
import type { Overview } from "../../api/schemas/overview.ts";
import type { Around, PageProps } from "../context.ts";
import { alertPath, countOf, grouped, liveKey } from "../format/words.ts";
import { AlertRow, HeldRow, NoDataRow, WaitingRow } from "../parts/alert-row.tsx";
import { AlertTable } from "../parts/alert-table.tsx";
import { LinkButton, Name, RuleLink, Section } from "../parts/blocks.tsx";
import { Bucket } from "../parts/bucket.tsx";
import { Distance } from "../parts/distance.tsx";
import { Layout } from "../parts/layout.tsx";
import { Empty } from "./empty.tsx";
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
export function OverviewPage({ around, data }: PageProps<OverviewData>) {
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
  const byRule = groups.length > 0;
  const news = (
    <p class="news" id="news" hidden>
      <a href={around.here} />
    </p>
  );
  return (
    <Layout around={around} current="/">
      <Verdict around={around} overview={overview} />
      {(loud.length > 0 || byRule) && (
        <Section
          id="firing"
          anchor
          title={byRule ? "Firing by rule" : "Firing"}
          count={byRule ? rulesWords(overview) : grouped(loud.length)}
          say={
            byRule
              ? "critical first, then the one with the most"
              : "critical first, then the newest; acknowledged last"
          }
        >
          {byRule && <Chips overview={overview} />}
          {news}
          {byRule ? (
            <div class="alerts">
              {groups.map((group, i) => (
                <Bucket around={around} group={group} open={i === 0} whole={i < WHOLE_BUCKETS} />
              ))}
              {groups.length < overview.groups_total && (
                <p class="pager pad">
                  <span>{grouped(overview.groups_total - groups.length)} more rules fire</span>
                  <LinkButton to="/find?state=firing" word="All alerts that fire" />
                </p>
              )}
            </div>
          ) : (
            <ul class="alerts">
              {loud.map((alert) => (
                <AlertRow alert={alert} around={around} />
              ))}
            </ul>
          )}
        </Section>
      )}
      {loud.length === 0 && !byRule && news}
      <Rows
        id="waiting"
        title="Pending and recovering"
        say="true, or over, but not for long enough"
        list={waiting}
      >
        {waiting.first.map((alert) => (
          <WaitingRow alert={alert} around={around} />
        ))}
      </Rows>
      <Rows
        id="nodata"
        title="No data"
        say="what these rules would say is not known"
        list={missing}
      >
        {missing.first.map((alert) => (
          <NoDataRow alert={alert} around={around} />
        ))}
      </Rows>
      <Rows id="held" title="Held back" say="firing, and nobody is told" list={held}>
        {held.first.map((alert) => (
          <HeldRow alert={alert} around={around} />
        ))}
      </Rows>
      {data.told !== null && <Nearest alerts={data.ok} />}
      {data.told !== null && data.told.notices.length > 0 && (
        <Section
          id="told"
          title="Last told"
          say={<a href="/notices">all notices of the last 7 days</a>}
        >
          <div class="card pad">
            <ol>
              {data.told.notices.map((notice) => (
                <NoticeLine notice={notice} now={around.now} />
              ))}
            </ol>
          </div>
        </Section>
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
  readonly children?: Child;
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
    <Section id={id} anchor title={title} count={grouped(list.total)} say={say}>
      <ul class="rows">{children}</ul>
      {list.total > list.first.length && (
        <p class="pager">
          <span>
            {grouped(list.first.length)} of {grouped(list.total)}
          </span>
          <LinkButton to={`/find?state=${STATE_OF[id] ?? id}`} word="Show all" />
        </p>
      )}
    </Section>
  );
}

/** `7 rules`, `25 of 40 rules`. */
function rulesWords({ groups, groups_total: total }: Overview): string {
  const few = groups.length < total ? `${grouped(groups.length)} of ` : "";
  return `${few}${countOf(total, "rule")}`;
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
    <Section
      id="ok"
      anchor
      title="Everything else"
      count={`${grouped(ok.total)} ok, by rule`}
      say="The tick in each bar is the limit."
    >
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
          {ok.rules !== undefined && <LinkButton to="/find?state=ok" word="One by one" />}{" "}
          {data.okCursor !== null && <LinkButton to="/#ok" word="First page" />}{" "}
          {ok.next !== null && (
            <LinkButton to={`/?after=${encodeURIComponent(ok.next)}#ok`} word="Next page" />
          )}
        </span>
      </p>
    </Section>
  );
}

const SHOWN = 6;

/** The alerts that would fire next; only where all of them are known, since others could be nearer. */
function Nearest({ alerts }: { readonly alerts: AlertList }) {
  if (alerts.alerts.length < alerts.total) return null;
  const near = alerts.alerts
    .filter(({ compared }) => typeof compared?.distance?.ratio === "number")
    .toSorted((a, b) => (b.compared?.distance?.ratio ?? 0) - (a.compared?.distance?.ratio ?? 0))
    .slice(0, SHOWN);
  if (near.length === 0) return null;
  return (
    <Section
      id="near"
      title="Nearest to their limits"
      say="those that would fire next; the tick is the limit"
    >
      <div class="card pad">
        <ul class="near">
          {near.map((alert) => (
            <li>
              <span>
                <a class="plain" href={alertPath(alert)}>
                  <Name as="b" of={alert.name} />
                </a>
                <br />
                <RuleLink rule={alert.rule} most={40} />
              </span>
              <Distance alert={alert} />
            </li>
          ))}
        </ul>
      </div>
    </Section>
  );
}
