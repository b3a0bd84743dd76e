import type { Alert } from "../../api/schemas/alerts.ts";
import type { Viewer } from "../../viewer.ts";
import { spanText } from "../format/times.ts";
import {
  alertPath,
  clauses,
  cut,
  liveKey,
  markOf,
  quietOf,
  rulePath,
  titled,
} from "../format/words.ts";
import { HeldBar } from "../pictures/bars.tsx";
import { Mark } from "../sprite.tsx";
import { AlertPicture } from "./alert-picture.tsx";
import { Distance } from "./distance.tsx";
import { Action, AlertForms } from "./forms.tsx";
import { Since, When } from "./time.tsx";

interface RowProps {
  readonly alert: Alert;
  readonly viewer: Viewer;
  readonly now: number;
  readonly back: string;
}

/** The sentence of a notice, its first clause in bold, as the way to the alert. */
function Sentence({ alert }: { readonly alert: Alert }) {
  const [first, rest] = clauses(alert.sentence);
  return (
    <p class="say">
      <a href={alertPath(alert)} {...titled(alert.name.length > 120 ? cut(alert.name, 500) : null)}>
        <b>
          <bdi>{cut(first)}</bdi>
        </b>
        <bdi>{cut(rest, 200)}</bdi>
      </a>
    </p>
  );
}

interface FiringProps extends RowProps {
  /** The channels whose last send failed. */
  readonly failing: readonly string[];
}

/** Whom its notice went to; a channel that does not deliver may still owe it. */
function Told({ alert: { told }, failing }: Pick<FiringProps, "alert" | "failing">) {
  const silent = told.filter((name) => failing.includes(name));
  const heard = told.filter((name) => !failing.includes(name));
  return (
    <>
      {heard.length > 0 && (
        <span>
          told <bdi>{cut(heard.join(", "), 60)}</bdi>
        </span>
      )}
      {silent.length > 0 && (
        <a class="state" href="/channels">
          <span>
            <bdi>{cut(silent.join(", "), 60)}</bdi>{" "}
            {silent.length === 1 ? "does not deliver" : "do not deliver"}
          </span>
        </a>
      )}
    </>
  );
}

/** An alert that needs eyes: what is so, since when, and what can be done. */
export function AlertRow({ alert, viewer, now, back, failing }: FiringProps) {
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
          {alert.no_data !== null && <span class="state gone">no data</span>}
          <a class="mono" href={rulePath(alert.rule)}>
            <bdi>{cut(alert.rule, 60)}</bdi>
          </a>
          <Told alert={alert} failing={failing} />
        </p>
        {alert.ack !== null && (
          <p class="by">
            <Mark name="acked" />
            <span>
              <bdi>{cut(alert.ack.by, 60)}</bdi> is on it since{" "}
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
                {by}: <bdi>{cut(why, 200)}</bdi>
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
        <AlertForms viewer={viewer} alert={alert} back={back} />
      </div>
    </li>
  );
}

/** Pending or recovering: how much of its time has passed, and what comes then. */
export function WaitingRow({ alert, now }: RowProps) {
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
          {held === null ? (
            <>
              since <When at={alert.since} now={now} />
            </>
          ) : (
            <>
              {recovering ? "resolves" : "fires"} <When at={held.until} now={now} />
            </>
          )}
          {recovering && alert.fired_at !== null && (
            <>
              , fired <When at={alert.fired_at} now={now} />
            </>
          )}
        </span>
      </div>
    </li>
  );
}

/** What its rule would say is not known: why, and what was known last. */
export function NoDataRow({ alert, now }: RowProps) {
  const { no_data: missing, last } = alert;
  return (
    <li class="row gone" data-alert={liveKey(alert)}>
      <Mark name="nodata" tone="gone" label={`${alert.severity}, no data`} />
      <div>
        <p class="say">
          <a href={alertPath(alert)}>
            <b>
              <bdi>{cut(alert.name)}</bdi>:
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
        <bdi>{cut(missing?.reason ?? "", 120)}</bdi>
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
export function HeldRow({ alert, viewer, now, back }: RowProps) {
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
        {held?.until !== undefined && held.until !== null && (
          <>
            until <When at={held.until} now={now} />
          </>
        )}
      </div>
      <div class="side">
        <span class="dim">
          {alert.fired_at !== null && (
            <>
              firing <Since at={alert.fired_at} now={now} />
            </>
          )}
        </span>
        {held?.silence !== undefined && held.silence !== null && (
          <div class="acts">
            <Action
              viewer={viewer}
              action="silence-end"
              back={back}
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
      <a class="mono" href={rulePath(alert.rule)}>
        <bdi>{cut(alert.rule, 60)}</bdi>
      </a>
      {why !== "" && (
        <span>
          <bdi>{cut(why, 200)}</bdi>
        </span>
      )}
    </p>
  );
}
