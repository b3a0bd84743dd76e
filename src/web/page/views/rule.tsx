import type { AlertList } from "../../api/schemas/alerts.ts";
import type { NoticeList } from "../../api/schemas/history.ts";
import type { RuleDetail } from "../../api/schemas/rules.ts";
import type { Around } from "../context.ts";
import { spanText } from "../format/times.ts";
import { cut, grouped, rulePath } from "../format/words.ts";
import { AlertTable } from "../parts/alert-table.tsx";
import { Card, Crumb, Fact, LinkButton, Name, SectionHead } from "../parts/blocks.tsx";
import { Action, SilenceForm } from "../parts/forms.tsx";
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
  const here = rulePath(rule.name);
  const mark: { name: MarkName; tone: string } =
    firing > 0
      ? { name: `${rule.severity}-firing`, tone: rule.severity }
      : counts.no_data > 0
        ? { name: "nodata", tone: "nodata" }
        : { name: "ok", tone: "" };
  return (
    <Layout around={around} current="/" title={cut(rule.name, 60)}>
      <Crumb>
        <span>
          <span title={cut(detail.file.name, 300)}>
            {cut(detail.file.name.split("/").slice(-2).join("/"), 120)}:{detail.file.line}
          </span>
        </span>
      </Crumb>
      <div class="title">
        <div>
          <h1>
            <Mark {...mark} label={firing > 0 ? "firing" : "ok"} />
            <Name as="span" class="mono" of={rule.name} />
          </h1>
          <Name as="p" class="lede" of={rule.sentence} most={1_000} />
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
              around={around}
              action="ack"
              fields={{ rule: rule.name }}
              word={
                counts.firing === 1
                  ? "Acknowledge the one that fires"
                  : `Acknowledge all ${grouped(counts.firing)}`
              }
              of={rule.name}
            />
          )}
          <SilenceForm around={around} fields={{ rule: rule.name }} of={rule.name} />
        </div>
      </div>
      <div class="two">
        <div class="stack">
          <section id="subjects" aria-labelledby="h-subjects">
            <SectionHead
              id="subjects"
              title="Subjects"
              count={`${grouped(alerts.total)}, the nearest to its limit first`}
            />
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
                  {data.cursor !== null && <LinkButton to={`${here}#subjects`} word="First page" />}{" "}
                  {alerts.next !== null && (
                    <LinkButton
                      to={`${here}&after=${encodeURIComponent(alerts.next)}#subjects`}
                      word="Next page"
                    />
                  )}
                </span>
              </p>
            )}
          </section>
          <section aria-labelledby="h-notices">
            <SectionHead
              id="notices"
              title="Notices"
              count="last 7 days"
              say={
                <a href={`/notices?${new URLSearchParams({ rule: rule.name }).toString()}`}>
                  all of them
                </a>
              }
            />
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
            <Card id="note" title="Note">
              <Name as="p" of={detail.note} most={2_000} />
            </Card>
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
    <Card id="routes" title="Whom it tells, and when">
      <dl class="facts">
        {detail.routes.map(({ channel, muted, muted_until: until }) => (
          <Fact name={<Name of={channel} most={60} />}>
            {muted === null ? "now" : <Name of={muted} most={120} />}
            {muted !== null && <When before=" until " at={until} now={now} />}
          </Fact>
        ))}
        {detail.routes.length === 0 && <Fact name="Nobody">the rule names no channel</Fact>}
        {timings.map(([name, value]) => (
          <Fact name={name}>{value}</Fact>
        ))}
      </dl>
    </Card>
  );
}
