import type { Delivery, Notice } from "../../api/schemas/history.ts";
import { alertPath, clauses, cut, withoutIcon } from "../format/words.ts";
import { Event, Name, RuleLink } from "../parts/blocks.tsx";
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
      return { name: "nodata", tone: "nodata" };
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
  const label = notice.kind.replace("_", " ");
  const path =
    notice.rule === null || notice.subject === null
      ? null
      : alertPath({ rule: notice.rule, subject: notice.subject });
  return (
    <Event at={notice.at} now={now} mark={{ ...noticeMark(notice), label }}>
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
          {notice.rule !== null && <RuleLink rule={notice.rule} />}
          <span class="mono">{notice.id}</span>
        </p>
      )}
      {deliveries && <Deliveries notice={notice} now={now} />}
    </Event>
  );
}

/** Every attempt at every channel, and what is still to come. */
function Deliveries({ notice: { deliveries }, now }: LineProps) {
  if (deliveries.length === 0) return null;
  return (
    <ul class="deliv">
      {deliveries.flatMap((delivery) => [
        ...delivery.attempts.map((attempt) => (
          <li>
            <Mark {...ATTEMPT[attempt.outcome].mark} />
            <Name as="b" of={delivery.channel} most={40} />
            <span>
              {ATTEMPT[attempt.outcome].word} <When at={attempt.at} now={now} />
              {attempt.answer !== null && `: ${cut(attempt.answer, 200)}`}
              {attempt.number > 1 && attempt.outcome === "sent" && `, at attempt ${attempt.number}`}
              {attempt.outcome === "retry" && (
                <When before="; tried again " at={attempt.until} now={now} />
              )}
            </span>
          </li>
        )),
        ...(settled(delivery) ? [] : [<Open delivery={delivery} now={now} />]),
      ])}
    </ul>
  );
}

const SENT = { name: "check", tone: "good" } as const;
const FAILED = { name: "failed", tone: "critical" } as const;

const ATTEMPT = {
  sent: { word: "sent", mark: SENT },
  retry: { word: "failed", mark: { name: "retry" } },
  dead: { word: "given up", mark: FAILED },
  dropped: { word: "dropped", mark: FAILED },
} as const;

/** The attempts already say how it ended. */
function settled({ state, attempts }: Delivery): boolean {
  const isOver = state === "sent" || state === "dead" || state === "dropped";
  return isOver && attempts.at(-1)?.outcome === state;
}

interface StateLook {
  readonly word: string;
  readonly mark: { readonly name: MarkName; readonly tone?: string };
}

const STATES: Readonly<Record<Delivery["state"], StateLook>> = {
  owed: { word: "queued", mark: { name: "retry" } },
  held: { word: "held back", mark: { name: "silenced" } },
  due: { word: "queued", mark: { name: "retry" } },
  waiting: { word: "waits for another attempt", mark: { name: "retry" } },
  sent: ATTEMPT.sent,
  dead: ATTEMPT.dead,
  dropped: { word: "dropped", mark: { name: "failed" } },
};

function Open({ delivery, now }: { readonly delivery: Delivery; readonly now: number }) {
  const { state, until, settled_at: at, error } = delivery;
  const { word, mark } = STATES[state];
  return (
    <li>
      <Mark {...mark} />
      <Name as="b" of={delivery.channel} most={40} />
      <span>
        {word}
        <When before=" " at={at} now={now} />
        <When before=" until " at={until} now={now} />
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
