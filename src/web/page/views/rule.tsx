import type { AlertList } from "../../api/schemas/alerts.ts";
import type { NoticeList } from "../../api/schemas/history.ts";
import type { RuleDetail } from "../../api/schemas/rules.ts";
import { spanText } from "../format/times.ts";
import { cut, grouped, rulePath } from "../format/words.ts";
import { AlertTable } from "../parts/alert-table.tsx";
import type { Around } from "../parts/around.ts";
import { Action, SilenceForm, silencePath } from "../parts/forms.tsx";
import { Layout } from "../parts/layout.tsx";
import { Ago, When } from "../parts/time.tsx";
import { Mark, type MarkName } from "../sprite.tsx";
import { Nothing } from "./empty.tsx";
import { NoticeLine } from "./notice-line.tsx";

export interface RuleData {
  readonly detail: RuleDetail;
  readonly alerts: AlertList;
  readonly cursor: string | null;
  readonly notices: NoticeList;
}

/** A rule: what it says, its subjects by how near they are to its limit, what it told, and whom. */
export function RulePage({ around, data }: { readonly around: Around; readonly data: RuleData }) {
  const { detail, alerts } = data;
  const { rule } = detail;
  const { counts } = rule;
  const firing = counts.firing + counts.recovering;
  const mark: { name: MarkName; tone: string } =
    firing > 0
      ? { name: `${rule.severity}-firing`, tone: rule.severity }
      : counts.no_data > 0
        ? { name: "nodata", tone: "gone" }
        : { name: "ok", tone: "" };
  return (
    <Layout around={around} current="/" title={cut(rule.name, 60)}>
      <p class="crumb">
        <a href="/">Overview</a> <span>/</span>{" "}
        <span>
          <span title={cut(detail.file.name, 300)}>
            {cut(detail.file.name.split("/").slice(-2).join("/"), 120)}:{detail.file.line}
          </span>
        </span>
      </p>
      <div class="title">
        <div>
          <h1>
            <Mark {...mark} label={firing > 0 ? "firing" : "ok"} />
            <span class="mono">
              <bdi>{cut(rule.name)}</bdi>
            </span>
          </h1>
          <p class="lede">
            <bdi>{cut(rule.sentence, 1_000)}</bdi>
          </p>
          <p class="meta">
            <span class={rule.severity}>
              <span class="sev">{rule.severity}</span>
            </span>
            <b>
              {firing === 0
                ? `none of ${grouped(rule.subjects)} firing`
                : `${grouped(firing)} of ${grouped(rule.subjects)} firing`}
            </b>
            <span>{/^\d/.test(rule.schedule) ? `every ${rule.schedule}` : rule.schedule}</span>
            {rule.last_round !== null && (
              <span>
                last round <Ago at={rule.last_round} now={around.now} />
                {rule.late && ", late"}
              </span>
            )}
            {Object.entries(rule.labels).map(([name, value]) => (
              <span>
                <bdi>
                  {cut(name, 40)}: {cut(value, 60)}
                </bdi>
              </span>
            ))}
          </p>
        </div>
        <div class="acts">
          {counts.firing > 0 && (
            <Action
              viewer={around.viewer}
              action="ack"
              back={around.here}
              fields={{ rule: rule.name }}
              word={
                counts.firing === 1
                  ? "Acknowledge the one that fires"
                  : `Acknowledge all ${grouped(counts.firing)}`
              }
              of={rule.name}
            />
          )}
          <SilenceForm
            viewer={around.viewer}
            back={around.here}
            fields={{ rule: rule.name }}
            of={rule.name}
            more={silencePath({ rule: rule.name })}
          />
        </div>
      </div>
      <div class="two">
        <div class="stack">
          <section id="subjects" aria-labelledby="h-subjects">
            <div class="sechead">
              <h2 id="h-subjects">
                Subjects{" "}
                <span class="cnt">{grouped(alerts.total)}, the nearest to its limit first</span>
              </h2>
            </div>
            {alerts.alerts.length === 0 ? (
              <Nothing what="No subjects yet." say="They stand here after the first round." />
            ) : (
              <AlertTable
                alerts={alerts.alerts}
                caption={`Subjects of ${cut(rule.name, 60)}`}
                rules={false}
                allOk={false}
                now={around.now}
              />
            )}
            {(alerts.next !== null || data.cursor !== null) && (
              <p class="pager">
                <span>
                  {grouped(alerts.alerts.length)} of {grouped(alerts.total)}
                </span>
                <span>
                  {data.cursor !== null && (
                    <a class="btn" href={`${rulePath(rule.name)}#subjects`}>
                      First page
                    </a>
                  )}{" "}
                  {alerts.next !== null && (
                    <a
                      class="btn"
                      href={`${rulePath(rule.name)}&after=${encodeURIComponent(alerts.next)}#subjects`}
                    >
                      Next page
                    </a>
                  )}
                </span>
              </p>
            )}
          </section>
          <section aria-labelledby="h-notices">
            <div class="sechead">
              <h2 id="h-notices">
                Notices <span class="cnt">last 7 days</span>
              </h2>
              <p>
                <a href={`/notices?${new URLSearchParams({ rule: rule.name }).toString()}`}>
                  all of them
                </a>
              </p>
            </div>
            {data.notices.notices.length === 0 ? (
              <Nothing
                what="No notices in the last 7 days."
                say="It was ok, or nobody was to be told."
              />
            ) : (
              <div class="card pad">
                <ol>
                  {data.notices.notices.map((notice) => (
                    <NoticeLine notice={notice} now={around.now} deliveries />
                  ))}
                </ol>
              </div>
            )}
          </section>
        </div>
        <div class="stack">
          <Routes detail={detail} now={around.now} />
          <section class="card" aria-labelledby="h-yaml">
            <h2 class="pad" id="h-yaml">
              As it is written
            </h2>
            {detail.yaml === null ? (
              <p class="pad dim">
                Its file cannot be read, or was edited since the daemon started.
              </p>
            ) : (
              <pre tabindex={0}>{cut(detail.yaml, 8_000)}</pre>
            )}
          </section>
          {detail.note !== null && (
            <section class="card pad" aria-labelledby="h-note">
              <h2 id="h-note">Note</h2>
              <p>
                <bdi>{cut(detail.note, 2_000)}</bdi>
              </p>
            </section>
          )}
        </div>
      </div>
    </Layout>
  );
}

function Routes({ detail, now }: { readonly detail: RuleDetail; readonly now: number }) {
  const timings: readonly (readonly [name: string, value: string])[] = [
    ["Held before it fires", detail.for_ms === 0 ? "not at all" : spanText(detail.for_ms)],
    [
      "Held before it resolves",
      detail.resolve_after_ms === 0 ? "not at all" : spanText(detail.resolve_after_ms),
    ],
    ["No data is told after", spanText(detail.missing_after_ms)],
    [
      "Reminders",
      detail.remind_ms.length === 0 ? "none" : detail.remind_ms.map(spanText).join(", "),
    ],
    ["Resolved is told", detail.send_resolved ? "yes" : "no"],
  ];
  return (
    <section class="card pad" aria-labelledby="h-routes">
      <h2 id="h-routes">Whom it tells, and when</h2>
      <dl class="facts">
        {detail.routes.map(({ channel, muted, muted_until: until }) => (
          <div>
            <dt>
              <bdi>{cut(channel, 60)}</bdi>
            </dt>
            <dd>
              {muted === null ? (
                "now"
              ) : (
                <>
                  <bdi>{cut(muted, 120)}</bdi>
                  {until !== null && (
                    <>
                      {" "}
                      until <When at={until} now={now} />
                    </>
                  )}
                </>
              )}
            </dd>
          </div>
        ))}
        {detail.routes.length === 0 && (
          <div>
            <dt>Nobody</dt>
            <dd>the rule names no channel</dd>
          </div>
        )}
        {timings.map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
