import type { Child } from "hono/jsx";
import type { Alert } from "../../api/schemas/alerts.ts";
import type { Viewer } from "../../viewer.ts";
import { about, cut } from "../format/words.ts";

/** Forms that act. They work without a script; the answer is the page that they came from. */

export function Csrf({ viewer }: { readonly viewer: Viewer }) {
  return viewer.csrf === null ? null : <input type="hidden" name="csrf" value={viewer.csrf} />;
}

interface ActionProps {
  readonly viewer: Viewer;
  /** The action's name in the API: `ack`. */
  readonly action: string;
  /** Where the answer leads. */
  readonly back: string;
  readonly fields: Readonly<Record<string, string>>;
  /** The button's word, and what it is about for who hears it. */
  readonly word: string;
  readonly of?: string;
  readonly look?: "go" | "stop";
  readonly children?: Child;
}

/** One button that does one thing; disabled, with the reason, where the viewer may not. */
export function Action(props: ActionProps) {
  const { viewer, action, back, fields, word, of = "", look, children } = props;
  if (!viewer.mayAct) return <Forbidden viewer={viewer} word={word} of={of} />;
  return (
    <form
      method="post"
      action={`/actions/${action}`}
      {...(children === undefined ? {} : { class: "form" })}
    >
      <Csrf viewer={viewer} />
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <input type="hidden" name="back" value={back} />
      {children}
      <button
        type="submit"
        {...(look === undefined ? {} : { class: look })}
        data-key={KEYS[action] ?? ""}
      >
        {word}
        {of !== "" && <span class="vh"> {cut(of)}</span>}
      </button>
    </form>
  );
}

/** What the keys of the page press. */
const KEYS: Readonly<Record<string, string>> = { ack: "a", unack: "a" };

interface ForbiddenProps {
  readonly viewer: Viewer;
  readonly word: string;
  readonly of?: string;
}

export function Forbidden({ viewer, word, of = "" }: ForbiddenProps) {
  return (
    <button type="button" disabled title={viewer.whyNot ?? "This page is for reading."}>
      {word}
      {of !== "" && <span class="vh"> {cut(of)}</span>}
    </button>
  );
}

interface AlertFormsProps {
  readonly viewer: Viewer;
  readonly alert: Alert;
  readonly back: string;
}

/** Acknowledge or take back, and silence: what can be done about an alert. */
export function AlertForms({ viewer, alert, back }: AlertFormsProps) {
  const fields = { rule: alert.rule, subject: alert.subject };
  const of = about(alert);
  return (
    <div class="acts">
      {alert.ack !== null && (
        <Action
          viewer={viewer}
          action="unack"
          back={back}
          fields={fields}
          word="Take back"
          of={`the acknowledgement of ${of}`}
        />
      )}
      {alert.ack === null && alert.can_ack && (
        <Action
          viewer={viewer}
          action="ack"
          back={back}
          fields={fields}
          word="Acknowledge"
          of={of}
        />
      )}
      {alert.spent && (
        <Action viewer={viewer} action="rearm" back={back} fields={fields} word="Re-arm" of={of} />
      )}
      <SilenceForm viewer={viewer} back={back} fields={fields} of={of} more={silencePath(alert)} />
    </div>
  );
}

/** The page with the whole form. */
export function silencePath(of: { readonly rule: string; readonly subject?: string }): string {
  const query = new URLSearchParams({ rule: of.rule });
  if (of.subject !== undefined) query.set("subject", of.subject);
  return `/silence?${query.toString()}`;
}

interface SilenceFormProps {
  readonly viewer: Viewer;
  readonly back: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly of: string;
  /** Where the whole form is. */
  readonly more: string;
}

/** The presets of a silence, with a reason, behind one button. */
export function SilenceForm({ viewer, back, fields, of, more }: SilenceFormProps) {
  if (!viewer.mayAct) return <Forbidden viewer={viewer} word="Silence" of={of} />;
  return (
    <details class="pop">
      <summary class="btn" data-key="s">
        Silence<span class="vh"> {cut(of)}</span>
      </summary>
      <form class="form" method="post" action="/actions/silence">
        <Csrf viewer={viewer} />
        {Object.entries(fields).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <input type="hidden" name="back" value={back} />
        <input type="hidden" name="zone" value="" />
        <label>
          Reason
          <input
            name="comment"
            maxlength={200}
            required
            placeholder="moving it"
            autocomplete="off"
          />
        </label>
        <div class="presets">
          <button type="submit" name="for" value="1h">
            1 h
          </button>
          <button type="submit" name="for" value="tomorrow">
            Until tomorrow 08:00<span class="utc"> UTC</span>
          </button>
          <button type="submit" name="for" value="7d">
            7 d
          </button>
        </div>
        <a href={more}>Another end, or several alerts</a>
      </form>
    </details>
  );
}
