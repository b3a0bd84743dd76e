import type { AlertDetail, HeldBack } from "../../api/schemas/alerts.ts";
import type { RuleDetail } from "../../api/schemas/rules.ts";
import type { Around } from "../context.ts";
import { spanText } from "../format/times.ts";
import { cut } from "../format/words.ts";
import { Card, Fact, Name } from "../parts/blocks.tsx";
import { Action } from "../parts/forms.tsx";
import { When } from "../parts/time.tsx";

interface HoldsProps {
  readonly detail: AlertDetail;
  readonly rule: RuleDetail | null;
  readonly around: Around;
}

/** Everything that could keep people from being told, and whether it does. */
export function HoldsBack({ detail, rule, around }: HoldsProps) {
  const { alert } = detail;
  const of = (...names: HeldBack["by"][]): HeldBack[] =>
    alert.held_back.filter(({ by }) => names.includes(by));
  const quiet = alert.held_back.length > 0;
  return (
    <Card id="holds" title="What holds it back" live="holds">
      <p class="dim">
        {quiet
          ? alert.state === "firing" || alert.state === "recovering"
            ? "It fires, and not everybody is told."
            : "It would be held back if it fired now."
          : "Nothing. Its notices go out at once."}
      </p>
      <dl class="facts">
        <Fact name="Acknowledged">
          {alert.ack === null ? (
            "no"
          ) : (
            <>
              by <Name of={alert.ack.by} most={60} />,{" "}
              <When at={alert.ack.since} now={around.now} />
              {alert.ack.comment !== null && `: ${cut(alert.ack.comment, 200)}`}
            </>
          )}
        </Fact>
        <Fact name="Silence">
          <Holds holds={of("silence")} none="none in force" around={around} />
        </Fact>
        <Fact name="Mute">
          <Holds holds={of("mute")} none="none in force" around={around} />
        </Fact>
        <Fact name="Gate">
          <Holds
            holds={of("gate", "unless")}
            none={
              rule === null || rule.only_while.length + rule.unless.length === 0
                ? "the rule has none"
                : `open: ${cut([...rule.only_while, ...rule.unless].join(", "), 120)}`
            }
            around={around}
          />
        </Fact>
        <Fact name="Cooldown">
          <Holds
            holds={of("cooldown", "flapping", "once")}
            none={
              rule === null || rule.cooldown_ms === 0
                ? "none"
                : `${spanText(rule.cooldown_ms)}, over`
            }
            around={around}
          />
        </Fact>
        {rule !== null && <Fact name="Next notice">{nextNotice(alert.state, rule)}</Fact>}
      </dl>
    </Card>
  );
}

interface HoldsListProps {
  readonly holds: readonly HeldBack[];
  readonly none: string;
  readonly around: Around;
}

function Holds({ holds, none, around }: HoldsListProps) {
  if (holds.length === 0) return <>{none}</>;
  return (
    <>
      {holds.map((one) => (
        <div>
          <b>{one.by}</b>
          {one.channel !== null && ` of ${one.channel}`}: <Name of={one.why} most={200} />
          <When before=", until " at={one.until} now={around.now} />
          {one.silence !== null && (
            <Action
              around={around}
              action="silence-end"
              fields={{ id: String(one.silence) }}
              word="End silence"
            />
          )}
        </div>
      ))}
    </>
  );
}

function nextNotice(state: string, rule: RuleDetail): string {
  if (state === "ok") return "when it fires";
  if (state === "pending") return `when it has held for ${spanText(rule.for_ms)}`;
  const [remind] = rule.remind_ms;
  return (
    [
      ...(rule.worse_by === null ? [] : [`when it is ${rule.worse_by} worse`]),
      ...(remind === undefined ? [] : [`a reminder after ${spanText(remind)}`]),
      ...(rule.send_resolved ? ["when it is over"] : []),
    ].join(", or ") || "none before it fires again"
  );
}
