import type { Alert } from "../../api/schemas/alerts.ts";
import type { RuleDetail } from "../../api/schemas/rules.ts";
import type { Around } from "../context.ts";
import { cut, grouped } from "../format/words.ts";
import { Crumb, Name } from "../parts/blocks.tsx";
import { Forbidden, Hidden, Reason, YourName } from "../parts/forms.tsx";
import { Layout } from "../parts/layout.tsx";
import { Nothing } from "./empty.tsx";

interface SilenceProps {
  readonly around: Around;
  readonly rule: RuleDetail | null;
  readonly alert: Alert | null;
}

/** The whole form of a silence: what, how long, and why. */
export function SilencePage({ around, rule, alert }: SilenceProps) {
  const { viewer } = around;
  return (
    <Layout around={around} current="/channels" title="Silence">
      <Crumb>
        <a href="/channels#silences">Silences</a>
      </Crumb>
      <div class="cols3 one">
        <section class="card" aria-labelledby="h-silence">
          <h1 id="h-silence">Silence</h1>
          {viewer.mayAct ? (
            <form class="form" method="post" action="/actions/silence">
              <Hidden viewer={viewer} fields={{ back: "/channels", zone: "" }} />
              <p class="dim">
                Rules go on being decided; what they have to tell waits, or is told when it ends.
              </p>
              <What rule={rule} alert={alert} />
              <HowLong />
              <Reason />
              <YourName />
              <div class="presets">
                <button type="submit" class="go">
                  Silence
                </button>
              </div>
            </form>
          ) : (
            <>
              <Nothing what="This page may only be read." say={viewer.whyNot ?? ""} />
              <Forbidden viewer={viewer} word="Silence" />
              <p class="hint">
                From the shell: <span class="mono">tickwatch silence</span>
              </p>
            </>
          )}
        </section>
      </div>
    </Layout>
  );
}

function What({ rule, alert }: { readonly rule: RuleDetail | null; readonly alert: Alert | null }) {
  const name = rule?.rule.name ?? alert?.rule ?? null;
  const labels = Object.entries(rule?.rule.labels ?? {});
  return (
    <fieldset class="radio">
      <legend>What</legend>
      {alert !== null && (
        <label>
          <input type="radio" name="what" value="alert" checked />
          <Name of={alert.name} most={60} /> <span>1 alert</span>
        </label>
      )}
      {name !== null && (
        <label>
          <input
            type="radio"
            name="what"
            value="rule"
            {...(alert === null ? { checked: true } : {})}
          />
          All of <Name of={name} most={60} />{" "}
          {rule !== null && <span>{grouped(rule.rule.subjects)} alerts</span>}
        </label>
      )}
      {labels.map(([label, value]) => (
        <label>
          <input type="radio" name="what" value={`label ${label}=${value}`} />
          <bdi>
            {cut(label, 40)}: {cut(value, 60)}
          </bdi>{" "}
          <span>every rule with this label</span>
        </label>
      ))}
      <label>
        <input type="radio" name="what" value="all" {...(name === null ? { checked: true } : {})} />
        Everything <span>every rule</span>
      </label>
      {name !== null && <input type="hidden" name="rule" value={name} />}
      {alert !== null && <input type="hidden" name="subject" value={alert.subject} />}
    </fieldset>
  );
}

const PRESETS = [
  ["1h", "1 h"],
  ["tomorrow", "Until tomorrow 08:00"],
  ["7d", "7 d"],
  ["until", "Until"],
] as const;

function HowLong() {
  return (
    <fieldset class="radio">
      <legend>
        How long <span class="hint utc">times in UTC</span>
      </legend>
      {PRESETS.map(([value, word]) => (
        <label>
          <input
            type="radio"
            name="for"
            value={value}
            {...(value === "1h" ? { checked: true } : {})}
          />
          {word}
          {value === "until" && <input type="datetime-local" name="until" aria-label="Until" />}
        </label>
      ))}
    </fieldset>
  );
}
