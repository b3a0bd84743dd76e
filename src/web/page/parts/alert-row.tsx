import type { Alert } from "../../api/schemas/alerts.ts";
import type { Around } from "../context.ts";
import { spanText } from "../format/times.ts";
import { alertPath, clauses, cut, liveKey, markOf, quietOf, titled } from "../format/words.ts";
import { HeldBar } from "../pictures/bars.tsx";
import { Mark } from "../sprite.tsx";
import { AlertPicture } from "./alert-picture.tsx";
import { Name, RuleLink } from "./blocks.tsx";
import { Distance } from "./distance.tsx";
import { Action, AlertForms } from "./forms.tsx";
import { Since, When } from "./time.tsx";

interface RowProps {
  readonly alert: Alert;
  readonly around: Around;
}

/** The sentence of a notice, its first clause in bold, as the way to the alert. */
function Sentence({ alert }: { readonly alert: Alert }) {
  const [first, rest] = clauses(alert.sentence);
  return (
    <p class="say">
      <a href={alertPath(alert)} {...titled(alert.name.length > 120 ? cut(alert.name, 500) : null)}>
        <Name as="b" of={first} />
        <Name of={rest} most={200} />
      </a>
    </p>
  );
}

/** Whom its notice went to; a channel that does not deliver may still owe it. */
function Told({ alert: { told }, around: { watch } }: RowProps) {
  const { failing } = watch;
  const silent = told.filter((name) => failing.includes(name));
  const heard = told.filter((name) => !failing.includes(name));
  return (
    <>
      {heard.length > 0 && (
        <span>
          told <Name of={heard.join(", ")} most={60} />
        </span>
      )}
      {silent.length > 0 && (
        <a class="state" href="/channels">
          <span>
            <Name of={silent.join(", ")} most={60} />{" "}
            {silent.length === 1 ? "does not deliver" : "do not deliver"}
          </span>
        </a>
      )}
    </>
  );
}

/** An alert that needs eyes: what is so, since when, and what can be done. */
export function AlertRow({ alert, around }: RowProps) {
  const { now } = around;
  const mark = markOf(alert);
  const acked = alert.ack !== null;
  const since = alert.fired_at ?? alert.since;
  return (
    <li class={`alert ${alert.severity}${acked ? " acked" : ""}`} data-alert={liveKey(alert)}>
      <Mark {...mark} />
      <div>
        <Sentence alert={alert} />
        <p class="meta">
          <span class="sev">{alert.severity}</span>
          {alert.no_data !== null && <span class="state nodata">no data</span>}
          <RuleLink rule={alert.rule} />
          <Told alert={alert} around={around} />
        </p>
        {alert.ack !== null && (
          <p class="by">
            <Mark name="acked" />
            <span>
              <Name of={alert.ack.by} most={60} /> is on it since{" "}
              <When at={alert.ack.since} now={now} />
              {alert.ack.comment !== null && `: “${cut(alert.ack.comment, 200)}”`}
            </span>
          </p>
        )}
        {alert.held_back
          .filter(({ by }) => by !== "ack" && by !== "silence" && by !== "mute")
          .map(({ by, why }) => (
            <p class="by held">
              <Mark name="muted" />
              <span>
                {by}: <Name of={why} most={200} />
              </span>
            </p>
          ))}
      </div>
      <figure class="pic">
        {alert.range === null && (alert.recent ?? null) === null ? (
          <Distance alert={alert} />
        ) : (
          <AlertPicture alert={alert} now={now} />
        )}
      </figure>
      <div class="side">
        <p class="long">
          <Since at={since} now={now} />
          <span>
            since <When at={since} now={now} />
          </span>
        </p>
        <AlertForms around={around} alert={alert} />
      </div>
    </li>
  );
}

/** Pending or recovering: how much of its time has passed, and what comes then. */
export function WaitingRow({ alert, around: { now } }: RowProps) {
  const { held } = alert;
  const recovering = alert.state === "recovering";
  return (
    <li class={`row ${alert.severity}`} data-alert={liveKey(alert)}>
      <Mark {...markOf(alert)} />
      <div>
        <Sentence alert={alert} />
        <RowMeta alert={alert} state={alert.state} />
      </div>
      <div class="wait">
        {held !== null && held.of_ms > 0 && (
          <>
            <HeldBar
              title="Time held"
              desc={`${spanText(held.ms)} of ${spanText(held.of_ms)}`}
              severity={alert.severity}
              share={held.ms / held.of_ms}
            />
            {spanText(held.ms)} of {spanText(held.of_ms)}
          </>
        )}
      </div>
      <div class="side">
        <span class="dim">
          <When
            before={held === null ? "since " : recovering ? "resolves " : "fires "}
            at={held === null ? alert.since : held.until}
            now={now}
          />
          {recovering && <When before=", fired " at={alert.fired_at} now={now} />}
        </span>
      </div>
    </li>
  );
}

/** What its rule would say is not known: why, and what was known last. */
export function NoDataRow({ alert, around: { now } }: RowProps) {
  const { no_data: missing, last } = alert;
  return (
    <li class="row nodata" data-alert={liveKey(alert)}>
      <Mark name="nodata" tone="nodata" label={`${alert.severity}, no data`} />
      <div>
        <p class="say">
          <a href={alertPath(alert)}>
            <b>
              <Name of={alert.name} />:
            </b>{" "}
            {alert.compared === null ? "not known" : `${alert.compared.label} not known`}.
            {last !== null && ` Last value ${last.value.text}`}
          </a>
        </p>
        <RowMeta
          alert={alert}
          state={alert.state === "ok" ? "no data" : `no data, ${alert.state}`}
        />
      </div>
      <div class="wait">
        <Name of={missing?.reason ?? ""} most={120} />
      </div>
      <div class="side">
        {missing !== null && (
          <span class="dim">
            <Since at={missing.since} now={now} />, since <When at={missing.since} now={now} />
          </span>
        )}
      </div>
    </li>
  );
}

/** Firing, and nobody is told: who holds it back, why, and until when. */
export function HeldRow({ alert, around }: RowProps) {
  const { now } = around;
  const held = quietOf(alert);
  const silenced = held?.by === "silence";
  return (
    <li class={`row ${alert.severity}`} data-alert={liveKey(alert)}>
      <Mark {...markOf(alert)} />
      <div>
        <Sentence alert={alert} />
        <RowMeta alert={alert} state={silenced ? "silenced" : "muted"} why={held?.why ?? ""} />
      </div>
      <div class="wait">
        <When before="until " at={held?.until ?? null} now={now} />
      </div>
      <div class="side">
        <span class="dim">
          <Since before="firing " at={alert.fired_at} now={now} />
        </span>
        {typeof held?.silence === "number" && (
          <div class="acts">
            <Action
              around={around}
              action="silence-end"
              fields={{ id: String(held.silence) }}
              word="End silence"
              of={`of ${alert.name}`}
            />
          </div>
        )}
      </div>
    </li>
  );
}

interface MetaProps {
  readonly alert: Alert;
  readonly state: string;
  readonly why?: string;
}

function RowMeta({ alert, state, why = "" }: MetaProps) {
  return (
    <p class="meta">
      <span class="state">{state}</span>
      <RuleLink rule={alert.rule} />
      {why !== "" && <Name as="span" of={why} most={200} />}
    </p>
  );
}
