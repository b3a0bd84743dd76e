import type { AlertDetail } from "../../api/schemas/alerts.ts";
import { everyDigit } from "../format/form.ts";
import { spanText } from "../format/times.ts";
import { about, alertPath, cut, grouped, markOf, rulePath } from "../format/words.ts";
import { outText } from "../parts/alert-picture.tsx";
import type { Around } from "../parts/around.ts";
import { Action, AlertForms } from "../parts/forms.tsx";
import { Layout } from "../parts/layout.tsx";
import { Since, When } from "../parts/time.tsx";
import { Mark } from "../sprite.tsx";
import { AlertChart } from "./alert-chart.tsx";
import type { AlertData } from "./alert-data.ts";
import { HoldsBack } from "./holds-back.tsx";
import { TimelineList } from "./timeline.tsx";
import { Why } from "./why.tsx";

/** One alert: why it is as it is, what happened, and what keeps people from being told. */
export function AlertPage({ around, data }: { readonly around: Around; readonly data: AlertData }) {
  const { detail, rule } = data;
  const { alert } = detail;
  const { now, viewer, here } = around;
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
      <p class="crumb">
        <a href="/">Overview</a> <span>/</span>{" "}
        <a class="mono" href={rulePath(alert.rule)}>
          <bdi>{cut(alert.rule, 60)}</bdi>
        </a>{" "}
        <span>/</span>{" "}
        <span>
          <bdi>{cut(alert.name)}</bdi>
        </span>
      </p>
      <div class="title">
        <div data-live="title">
          <h1>
            <Mark {...mark} />
            <span>
              <bdi>{cut(alert.sentence, 200)}</bdi>
            </span>
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
            <span class="mono">
              <bdi>{cut(alert.subject, 100)}</bdi>
            </span>
          </p>
        </div>
        <AlertForms viewer={viewer} alert={alert} back={here} />
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
            <section class="card pad" aria-labelledby="h-ack">
              <h2 id="h-ack">Acknowledge</h2>
              <Action
                viewer={viewer}
                action="ack"
                back={here}
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
                <label>
                  Your name <span class="hint">optional</span>
                  <input name="by" maxlength={60} autocomplete="name" />
                </label>
                <p class="hint">
                  Reminders and “worse” stop until it has resolved. “Resolved” and “no data” still
                  come.
                </p>
              </Action>
            </section>
          )}
          <Record detail={detail} now={now} />
          {detail.note !== null && (
            <section class="card pad" aria-labelledby="h-note">
              <h2 id="h-note">Note of the rule</h2>
              <p>
                <bdi>{cut(detail.note, 2_000)}</bdi>
              </p>
            </section>
          )}
          {detail.also.length > 0 && (
            <section class="card pad" aria-labelledby="h-also">
              <h2 id="h-also">Other rules on it</h2>
              <dl class="facts">
                {detail.also.map(({ rule: name, state }) => (
                  <div>
                    <dt>
                      <a class="mono" href={alertPath({ rule: name, subject: alert.subject })}>
                        <bdi>{cut(name, 60)}</bdi>
                      </a>
                    </dt>
                    <dd>{state}</dd>
                  </div>
                ))}
              </dl>
            </section>
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
  return (
    <section class="card pad" aria-labelledby="h-record" data-live="record">
      <h2 id="h-record">
        Newest record{" "}
        <span class="cnt">
          {newest === "" ? (
            "none yet"
          ) : (
            <>
              <When at={newest} now={now} />, {spanText(Math.max(0, now - Date.parse(newest)))} old
              {detail.record_block !== null && `, block ${grouped(detail.record_block)}`}
            </>
          )}
        </span>
      </h2>
      <dl class="facts">
        {detail.record.map(({ metric, value }) => (
          <div>
            <dt>{metric}</dt>
            <dd>
              {value === null ? (
                <span class="dim">no data</span>
              ) : (
                <bdi>{cut(everyDigit(value), 200)}</bdi>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {!detail.record_whole && (
        <p class="hint">These fields are kept. The next round reads the others.</p>
      )}
    </section>
  );
}
