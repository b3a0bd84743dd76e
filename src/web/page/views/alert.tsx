import type { AlertDetail } from "../../api/schemas/alerts.ts";
import type { Around } from "../context.ts";
import { everyDigit } from "../format/form.ts";
import { spanText } from "../format/times.ts";
import { about, alertPath, cut, grouped, markOf } from "../format/words.ts";
import { outText } from "../parts/alert-picture.tsx";
import { Card, Crumb, Digits, Fact, Name, RuleLink } from "../parts/blocks.tsx";
import { Action, AlertForms, YourName } from "../parts/forms.tsx";
import { Layout } from "../parts/layout.tsx";
import { Since, When } from "../parts/time.tsx";
import { Mark } from "../sprite.tsx";
import { AlertChart, type AlertData } from "./alert-chart.tsx";
import { HoldsBack } from "./holds-back.tsx";
import { TimelineList } from "./timeline.tsx";
import { Why } from "./why.tsx";

/** One alert: why it is as it is, what happened, and what keeps people from being told. */
export function AlertPage({ around, data }: { readonly around: Around; readonly data: AlertData }) {
  const { detail, rule } = data;
  const { alert } = detail;
  const { now } = around;
  const mark = markOf(alert);
  const since = alert.fired_at ?? alert.since;
  return (
    <Layout
      around={around}
      current="/"
      title={`${cut(about(alert), 60)}, ${mark.label.split(", ").at(-1) ?? ""}`}
      scripts={["uPlot.js"]}
      sheets={["uPlot.css"]}
    >
      <Crumb>
        <RuleLink rule={alert.rule} /> <span>/</span> <Name as="span" of={alert.name} />
      </Crumb>
      <div class="title">
        <div data-live="title">
          <h1>
            <Mark {...mark} />
            <Name as="span" of={alert.sentence} most={200} />
          </h1>
          <p class="meta">
            <span class={alert.state === "ok" ? "" : alert.severity}>
              <span class="sev">{mark.label}</span>
            </span>
            <span>
              <Since at={since} now={now} />, since <When at={since} now={now} />
            </span>
            {alert.chain !== null && <span>{alert.chain.name}</span>}
            {alert.link !== null && (
              <a href={alert.link} rel="noreferrer noopener">
                Block explorer
              </a>
            )}
            <Name as="span" class="mono" of={alert.subject} most={100} />
          </p>
        </div>
        <AlertForms around={around} alert={alert} />
      </div>
      <div class="two">
        <div class="stack">
          <Why
            detail={detail}
            now={now}
            out={alert.range === null || alert.range.in_range ? null : outText(alert)}
          />
          {(data.samples !== null || alert.entries === null) && (
            <AlertChart data={data} now={now} />
          )}
          <TimelineList data={data} now={now} />
        </div>
        <div class="stack">
          <HoldsBack detail={detail} rule={rule} around={around} />
          {alert.ack === null && alert.can_ack && (
            <Card id="ack" title="Acknowledge">
              <Action
                around={around}
                action="ack"
                fields={{ rule: alert.rule, subject: alert.subject }}
                word="Acknowledge"
                of={`${about(alert)}, with a comment`}
                look="go"
              >
                <label>
                  What you do about it <span class="hint">shown to everybody</span>
                  <input
                    name="comment"
                    maxlength={200}
                    placeholder="looking at it"
                    autocomplete="off"
                  />
                </label>
                <YourName />
                <p class="hint">
                  Reminders and “worse” stop until it has resolved. “Resolved” and “no data” still
                  come.
                </p>
              </Action>
            </Card>
          )}
          <Record detail={detail} now={now} />
          {detail.note !== null && (
            <Card id="note" title="Note of the rule">
              <Name as="p" of={detail.note} most={2_000} />
            </Card>
          )}
          {detail.also.length > 0 && (
            <Card id="also" title="Other rules on it">
              <dl class="facts">
                {detail.also.map(({ rule: name, state }) => (
                  <Fact
                    name={
                      <a class="mono" href={alertPath({ rule: name, subject: alert.subject })}>
                        <Name of={name} most={60} />
                      </a>
                    }
                  >
                    {state}
                  </Fact>
                ))}
              </dl>
            </Card>
          )}
        </div>
      </div>
    </Layout>
  );
}

/** What the newest round read of it, field by field; before one has, the fields that are kept. */
function Record({ detail, now }: { readonly detail: AlertDetail; readonly now: number }) {
  if (detail.record.length === 0) return null;
  const newest =
    detail.record
      .map(({ at }) => at ?? "")
      .toSorted()
      .at(-1) ?? "";
  const count =
    newest === "" ? (
      "none yet"
    ) : (
      <>
        <When at={newest} now={now} />, {spanText(Math.max(0, now - Date.parse(newest)))} old
        {detail.record_block !== null && `, block ${grouped(detail.record_block)}`}
      </>
    );
  return (
    <Card id="record" title="Newest record" count={count} live="record">
      <dl class="facts">
        {detail.record.map(({ metric, value }) => (
          <Fact name={metric}>
            {value === null ? (
              <span class="dim">no data</span>
            ) : (
              <Digits of={everyDigit(value)} most={200} />
            )}
          </Fact>
        ))}
      </dl>
      {!detail.record_whole && (
        <p class="hint">These fields are kept. The next round reads the others.</p>
      )}
    </Card>
  );
}
