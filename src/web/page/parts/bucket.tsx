import type { Child } from "hono/jsx";
import type { Alert } from "../../api/schemas/alerts.ts";
import type { FiringGroup } from "../../api/schemas/overview.ts";
import type { Around } from "../context.ts";
import { alertPath, cut, grouped, liveKey, rulePath } from "../format/words.ts";
import { Ticks } from "../pictures/bars.tsx";
import { Mark } from "../sprite.tsx";
import { Name } from "./blocks.tsx";
import { Distance } from "./distance.tsx";
import { Action, Forbidden, Hidden, SilenceForm } from "./forms.tsx";
import { Since } from "./time.tsx";

interface BucketProps {
  readonly around: Around;
  readonly group: FiringGroup;
  readonly open: boolean;
  /** With its five worst, and what can be done about all; else with the worst alone. */
  readonly whole: boolean;
}

/** The many firing alerts of one rule, with the worst of them inside. */
export function Bucket({ around, group, open, whole }: BucketProps) {
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
            <Name as="b" of={group.sentence} most={200} />
          </p>
          <p class="meta">
            <span class="sev">{group.severity}</span>
            <Name as="span" class="mono" of={group.rule} most={60} />
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
              ratios={group.ratios}
            />
          )}
        </div>
        <span class="dim">
          oldest <Since at={group.since} now={around.now} />
        </span>
      </summary>
      <div class="inner">
        <OneForm group={group} around={around}>
          <ol>
            {worst.map((alert) => (
              <Mini alert={alert} around={around} />
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
                around={around}
                action="ack"
                fields={{ rule: group.rule }}
                word={`Acknowledge all ${grouped(group.unacknowledged)}`}
                of={`of ${group.rule}`}
              />
            )}
            {whole && <SilenceForm around={around} fields={{ rule: group.rule }} of={group.rule} />}
          </div>
        </div>
      </div>
    </details>
  );
}

interface OneFormProps {
  readonly around: Around;
  readonly group: FiringGroup;
  readonly children?: Child;
}

/** One form around all rows, whose buttons say which is meant: many forms would be most of the page. */
function OneForm({ around: { viewer, here }, group, children }: OneFormProps) {
  if (!viewer.mayAct) return <>{children}</>;
  return (
    <form method="post" action="/actions/ack">
      <Hidden viewer={viewer} fields={{ rule: group.rule, back: here }} />
      {children}
    </form>
  );
}

function Mini({ alert, around }: { readonly alert: Alert; readonly around: Around }) {
  const { viewer, now } = around;
  const value = alert.range === null ? alert.compared?.value.text : alert.range.price;
  return (
    <li class={`mini ${alert.severity}`} data-alert={liveKey(alert)}>
      <span>
        <a class="plain" href={alertPath(alert)}>
          <Name of={alert.name} />
        </a>
      </span>
      <Name as="span" class="num val" of={value ?? ""} most={40} />
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
