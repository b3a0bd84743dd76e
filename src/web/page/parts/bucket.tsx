import type { Child } from "hono/jsx";
import type { Alert } from "../../api/schemas/alerts.ts";
import type { FiringGroup } from "../../api/schemas/overview.ts";
import type { Viewer } from "../../viewer.ts";
import { alertPath, cut, grouped, liveKey, rulePath } from "../format/words.ts";
import { Ticks } from "../pictures/bars.tsx";
import { Mark } from "../sprite.tsx";
import { Distance } from "./distance.tsx";
import { Action, Csrf, Forbidden, SilenceForm, silencePath } from "./forms.tsx";
import { Since } from "./time.tsx";

interface BucketProps {
  readonly group: FiringGroup;
  readonly viewer: Viewer;
  readonly now: number;
  readonly back: string;
  readonly open: boolean;
  /** With its five worst, and what can be done about all; else with the worst alone. */
  readonly whole: boolean;
}

/** The many firing alerts of one rule, with the worst of them inside. */
export function Bucket({ group, viewer, now, back, open, whole }: BucketProps) {
  const worst = whole ? group.worst : group.worst.slice(0, 1);
  const acked = group.firing - group.unacknowledged;
  return (
    <details class={`bucket ${group.severity}`} open={open} data-bucket={group.rule}>
      <summary>
        <Mark
          name={`${group.severity}-firing`}
          tone={group.severity}
          label={`${group.severity}, firing`}
        />
        <div>
          <p class="say">
            <b>
              <bdi>{cut(group.sentence, 200)}</bdi>
            </b>
          </p>
          <p class="meta">
            <span class="sev">{group.severity}</span>
            <span class="mono">
              <bdi>{cut(group.rule, 60)}</bdi>
            </span>
            <span>{acked === 0 ? "none acknowledged" : `${grouped(acked)} acknowledged`}</span>
          </p>
        </div>
        <div class="pic">
          {group.ratios.length > 0 && (
            <Ticks
              title={`Distance to the limit of the ${grouped(group.firing)} that fire`}
              desc={`The farthest first: ${group.worst
                .map((one) => one.compared?.distance?.text ?? "")
                .filter((text) => text !== "")
                .join(", ")}`}
              severity={group.severity}
              gone={group.ratios}
            />
          )}
        </div>
        <span class="dim">
          oldest <Since at={group.since} now={now} />
        </span>
      </summary>
      <div class="inner">
        <OneForm group={group} viewer={viewer} back={back}>
          <ol>
            {worst.map((alert) => (
              <Mini alert={alert} viewer={viewer} now={now} />
            ))}
          </ol>
        </OneForm>
        <div class="pager">
          <span>
            {worst.length === group.firing
              ? `All ${grouped(group.firing)}`
              : `${grouped(worst.length)} of ${grouped(group.firing)}, worst first`}
          </span>
          <div>
            <a class="btn" href={rulePath(group.rule)}>
              Show all
              <span class="vh"> of {cut(group.rule, 60)}</span>
            </a>
            {whole && group.unacknowledged > 0 && (
              <Action
                viewer={viewer}
                action="ack"
                back={back}
                fields={{ rule: group.rule }}
                word={`Acknowledge all ${grouped(group.unacknowledged)}`}
                of={`of ${group.rule}`}
              />
            )}
            {whole && (
              <SilenceForm
                viewer={viewer}
                back={back}
                fields={{ rule: group.rule }}
                of={group.rule}
                more={silencePath({ rule: group.rule })}
              />
            )}
          </div>
        </div>
      </div>
    </details>
  );
}

interface OneFormProps {
  readonly group: FiringGroup;
  readonly viewer: Viewer;
  readonly back: string;
  readonly children?: Child;
}

/** One form around all rows, whose buttons say which is meant: many forms would be most of the page. */
function OneForm({ group, viewer, back, children }: OneFormProps) {
  if (!viewer.mayAct) return <>{children}</>;
  return (
    <form method="post" action="/actions/ack">
      <Csrf viewer={viewer} />
      <input type="hidden" name="rule" value={group.rule} />
      <input type="hidden" name="back" value={back} />
      {children}
    </form>
  );
}

interface MiniProps {
  readonly alert: Alert;
  readonly viewer: Viewer;
  readonly now: number;
}

function Mini({ alert, viewer, now }: MiniProps) {
  const value = alert.range === null ? alert.compared?.value.text : alert.range.price;
  return (
    <li class={`mini ${alert.severity}`} data-alert={liveKey(alert)}>
      <span>
        <a class="plain" href={alertPath(alert)}>
          <bdi>{cut(alert.name)}</bdi>
        </a>
      </span>
      <span class="num val">
        <bdi>{cut(value ?? "", 40)}</bdi>
      </span>
      <div>
        <Distance alert={alert} />
      </div>
      <div class="acts">
        {alert.ack === null && alert.can_ack ? (
          viewer.mayAct ? (
            <button type="submit" name="subject" value={alert.subject} data-key="a">
              Acknowledge<span class="vh"> {cut(alert.name)}</span>
            </button>
          ) : (
            <Forbidden viewer={viewer} word="Acknowledge" of={alert.name} />
          )
        ) : (
          alert.ack !== null && <span class="dim">{cut(alert.ack.by, 40)} is on it</span>
        )}
      </div>
      <span class="dim num">
        <Since at={alert.fired_at ?? alert.since} now={now} />
      </span>
    </li>
  );
}
