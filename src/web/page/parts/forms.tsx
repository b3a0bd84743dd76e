import type { Child } from "hono/jsx";
import type { Alert } from "../../api/schemas/alerts.ts";
import type { Viewer } from "../../viewer.ts";
import type { Around } from "../context.ts";
import { about, cut } from "../format/words.ts";

/** Forms that act. They work without a script; the answer is the page that they came from. */

export function Csrf({ viewer }: { readonly viewer: Viewer }) {
  return viewer.csrf === null ? null : <input type="hidden" name="csrf" value={viewer.csrf} />;
}

interface ActionProps {
  readonly around: Around;
  /** The action's name in the API: `ack`. */
  readonly action: string;
  /** Where the answer leads; default: the page that is shown. */
  readonly back?: string;
  readonly fields: Readonly<Record<string, string>>;
  /** The button's word, and what it is about for who hears it. */
  readonly word: string;
  readonly of?: string;
  readonly look?: "go" | "stop";
  readonly children?: Child;
}

/** One button that does one thing; disabled, with the reason, where the viewer may not. */
export function Action(props: ActionProps) {
  const { around, action, back = around.here, fields, word, of = "", look, children } = props;
  const { viewer } = around;
  if (!viewer.mayAct) return <Forbidden viewer={viewer} word={word} of={of} />;
  return (
    <form
      method="post"
      action={`/actions/${action}`}
      {...(children === undefined ? {} : { class: "form" })}
    >
      <Hidden viewer={viewer} fields={{ ...fields, back }} />
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

interface HiddenProps {
  readonly viewer: Viewer;
  readonly fields: Readonly<Record<string, string>>;
}

/** What a form sends that nobody fills in. */
export function Hidden({ viewer, fields }: HiddenProps) {
  return (
    <>
      <Csrf viewer={viewer} />
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
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

/** Acknowledge or take back, and silence: what can be done about an alert. */
export function AlertForms({ around, alert }: { readonly around: Around; readonly alert: Alert }) {
  const { rule, subject, ack } = alert;
  const of = about(alert);
  const some = { around, fields: { rule, subject } };
  return (
    <div class="acts">
      {ack !== null && (
        <Action {...some} action="unack" word="Take back" of={`the acknowledgement of ${of}`} />
      )}
      {ack === null && alert.can_ack && (
        <Action {...some} action="ack" word="Acknowledge" of={of} />
      )}
      {alert.spent && <Action {...some} action="rearm" word="Re-arm" of={of} />}
      <SilenceForm {...some} of={of} />
    </div>
  );
}

interface SilenceFormProps {
  readonly around: Around;
  /** What is silenced: a rule, or its alert on one subject. */
  readonly fields: { readonly rule: string; readonly subject?: string };
  readonly of: string;
}

/** The presets of a silence, with a reason, behind one button; another page has the whole form. */
export function SilenceForm({ around: { viewer, here }, fields, of }: SilenceFormProps) {
  if (!viewer.mayAct) return <Forbidden viewer={viewer} word="Silence" of={of} />;
  return (
    <details class="pop">
      <summary class="btn" data-key="s">
        Silence<span class="vh"> {cut(of)}</span>
      </summary>
      <form class="form" method="post" action="/actions/silence">
        <Hidden viewer={viewer} fields={{ ...fields, back: here, zone: "" }} />
        <Reason />
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
        <a href={`/silence?${new URLSearchParams(fields).toString()}`}>
          Another end, or several alerts
        </a>
      </form>
    </details>
  );
}

/** Why something is silent, for others. */
export function Reason() {
  return (
    <label>
      Reason
      <input name="comment" maxlength={200} required placeholder="moving it" autocomplete="off" />
    </label>
  );
}

/** Who does it, where a person wants to say it. */
export function YourName() {
  return (
    <label>
      Your name <span class="hint">optional</span>
      <input name="by" maxlength={60} autocomplete="name" />
    </label>
  );
}
