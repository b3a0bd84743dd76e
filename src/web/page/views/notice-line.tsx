import type { Delivery, Notice } from "../../api/schemas/history.ts";
import { alertPath, clauses, cut, rulePath, withoutIcon } from "../format/words.ts";
import { When } from "../parts/time.tsx";
import { Mark, type MarkName } from "../sprite.tsx";

interface LineProps {
  readonly notice: Notice;
  readonly now: number;
  /** With what became of it at each channel. */
  readonly deliveries?: boolean;
  /** With the rule that told it. */
  readonly rule?: boolean;
  /** Words before the headline, such as `Told: `. */
  readonly before?: string;
}

/** What marks a notice by its kind. */
function noticeMark({ kind, severity }: Notice): {
  readonly name: MarkName;
  readonly tone: string;
} {
  switch (kind) {
    case "fired":
    case "reminder":
    case "changed":
      return { name: `${severity}-firing`, tone: severity };
    case "worse":
      return { name: "worse", tone: severity };
    case "resolved":
    case "steady":
      return { name: "resolved", tone: "good" };
    case "no_data":
    case "source_down":
      return { name: "nodata", tone: "gone" };
    case "data_back":
    case "source_up":
      return { name: "ok", tone: "" };
    case "self":
      return { name: "broken", tone: severity };
    default:
      return { name: "note", tone: "" };
  }
}

/** A notice with its time, and with its deliveries where they are asked for. */
export function NoticeLine({
  notice,
  now,
  deliveries = false,
  rule = false,
  before = "",
}: LineProps) {
  const [first, rest] = clauses(withoutIcon(notice.headline));
  const text = (
    <>
      <b>
        {before}
        <bdi>{first}</bdi>
      </b>
      <bdi>{rest}</bdi>
    </>
  );
  const path =
    notice.rule === null || notice.subject === null
      ? null
      : alertPath({ rule: notice.rule, subject: notice.subject });
  return (
    <li class="ev">
      <When at={notice.at} now={now} />
      <Mark {...noticeMark(notice)} label={notice.kind.replace("_", " ")} />
      <div>
        <p>
          {path === null ? (
            text
          ) : (
            <a class="plain" href={path}>
              {text}
            </a>
          )}
        </p>
        {rule && (
          <p class="meta">
            <span>{notice.kind.replaceAll("_", " ")}</span>
            {notice.rule !== null && (
              <a class="mono" href={rulePath(notice.rule)}>
                <bdi>{cut(notice.rule, 60)}</bdi>
              </a>
            )}
            <span class="mono">{notice.id}</span>
          </p>
        )}
        {deliveries && <Deliveries deliveries={notice.deliveries} now={now} />}
      </div>
    </li>
  );
}

/** Every attempt at every channel, and what is still to come. */
function Deliveries({
  deliveries,
  now,
}: {
  readonly deliveries: readonly Delivery[];
  readonly now: number;
}) {
  if (deliveries.length === 0) return null;
  return (
    <ul class="deliv">
      {deliveries.flatMap((delivery) => [
        ...delivery.attempts.map((attempt) => (
          <li>
            <Mark
              name={
                attempt.outcome === "sent"
                  ? "check"
                  : attempt.outcome === "retry"
                    ? "retry"
                    : "failed"
              }
              tone={
                attempt.outcome === "sent" ? "good" : attempt.outcome === "retry" ? "" : "critical"
              }
            />
            <b>
              <bdi>{cut(delivery.channel, 40)}</bdi>
            </b>
            <span>
              {ATTEMPT[attempt.outcome]} <When at={attempt.at} now={now} />
              {attempt.answer !== null && `: ${cut(attempt.answer, 200)}`}
              {attempt.number > 1 && attempt.outcome === "sent" && `, at attempt ${attempt.number}`}
              {attempt.outcome === "retry" && attempt.until !== null && (
                <>
                  ; tried again <When at={attempt.until} now={now} />
                </>
              )}
            </span>
          </li>
        )),
        ...(settled(delivery) ? [] : [<Open delivery={delivery} now={now} />]),
      ])}
    </ul>
  );
}

const ATTEMPT = { sent: "sent", retry: "failed", dead: "given up", dropped: "dropped" } as const;

/** The attempts already say how it ended. */
function settled({ state, attempts }: Delivery): boolean {
  const last = attempts.at(-1)?.outcome;
  return (
    (state === "sent" && last === "sent") ||
    (state === "dead" && last === "dead") ||
    (state === "dropped" && last === "dropped")
  );
}

const STATES: Readonly<Record<Delivery["state"], string>> = {
  owed: "queued",
  held: "held back",
  due: "queued",
  waiting: "waits for another attempt",
  sent: "sent",
  dead: "given up",
  dropped: "dropped",
};

function Open({ delivery, now }: { readonly delivery: Delivery; readonly now: number }) {
  const { state, until, settled_at: at, error } = delivery;
  const mark: MarkName =
    state === "sent"
      ? "check"
      : state === "dead" || state === "dropped"
        ? "failed"
        : state === "held"
          ? "silenced"
          : "retry";
  return (
    <li>
      <Mark name={mark} tone={state === "sent" ? "good" : state === "dead" ? "critical" : ""} />
      <b>
        <bdi>{cut(delivery.channel, 40)}</bdi>
      </b>
      <span>
        {STATES[state]}
        {at !== null && (
          <>
            {" "}
            <When at={at} now={now} />
          </>
        )}
        {until !== null && (
          <>
            {" "}
            until <When at={until} now={now} />
          </>
        )}
        {error !== null && `: ${cut(error, 200)}`}
        {state === "dead" && (
          <>
            . <a href="/channels#dead">Dead letters</a>
          </>
        )}
      </span>
    </li>
  );
}
