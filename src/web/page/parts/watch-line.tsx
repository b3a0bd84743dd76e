import type { Fault } from "../../api/schemas/overview.ts";
import type { Around } from "../context.ts";
import { countOf, cut, grouped } from "../format/words.ts";
import { Mark } from "../sprite.tsx";
import { Name } from "./blocks.tsx";
import { Action } from "./forms.tsx";
import { Ago, Until, When } from "./time.tsx";

const ABOUT: Readonly<Record<Fault["about"], string>> = {
  rounds: "Rounds",
  source: "Source",
  channel: "Channel",
  database: "Database",
  daemon: "Daemon",
};

/** Of rules that are late so many are named. */
const SHOWN_RULES = 5;
/** More are counted: the page is for what fires. */
const MOST_FAULTS = 6;

/** The first line: whether everything is watched, and what it costs if not. */
export function WatchLine({ around }: { readonly around: Around }) {
  const { watch, counts } = around;
  const faults = together(watch.faults);
  if (faults.length > 0) {
    return (
      <section class="watch bad" aria-labelledby="h-bad" data-live="watch">
        <h2 id="h-bad">
          <Mark name="broken" />
          {isWatched(watch) ? "Not everybody is told" : "Not everything is watched"}:{" "}
          {countOf(faults.length, "fault")}
        </h2>
        <ul class="faults">
          {faults.slice(0, MOST_FAULTS).map((fault) => (
            <FaultRow fault={fault} around={around} />
          ))}
          {faults.length > MOST_FAULTS && (
            <li>
              <span />
              <b>{grouped(faults.length - MOST_FAULTS)} more</b>
            </li>
          )}
        </ul>
        <Rounds around={around} />
      </section>
    );
  }
  const whole = watch.watched >= watch.subjects && counts.no_data === 0;
  return (
    <section class="watch" aria-label="Is everything watched" data-live="watch">
      <p>
        {watch.subjects === 0 ? (
          <Mark name="ok" />
        ) : whole ? (
          <Mark name="check" tone="good" />
        ) : (
          <Mark name="nodata" tone="nodata" />
        )}
        <span>
          <b>{watch.sentence}.</b>
          {whole && watch.last_round !== null && ` ${answering(watch)}`}
          {counts.no_data > 0 && (
            <>
              {" "}
              <a href="/#nodata">{grouped(counts.no_data)} without data</a>
            </>
          )}
        </span>
      </p>
      <Rounds around={around} />
    </section>
  );
}

/** Whoever is not told takes nothing from what is watched. */
export function isWatched({ faults, watched, subjects }: Around["watch"]): boolean {
  return watched >= subjects && faults.every(({ about }) => about === "channel");
}

/** `4 channels and 8 endpoints answer.`; empty: nobody was asked yet. */
function answering({ channels, endpoints, failing }: Around["watch"]): string {
  const some = [countOf(channels, "channel", ""), countOf(endpoints, "endpoint", "")].filter(
    Boolean,
  );
  const verb = channels + endpoints === 1 ? "answers" : "answer";
  const well = some.length === 0 ? "" : `${some.join(" and ")} ${verb}. `;
  if (failing.length === 0) return well.trim();
  const names = cut(failing.join(", "), 120);
  return `${well}${names} ${failing.length === 1 ? "does" : "do"} not deliver.`;
}

/** Rules whose rounds are late have one cause as a rule: they are one fault, with their names. */
function together(faults: readonly Fault[]): readonly Fault[] {
  const late = faults.filter(({ about }) => about === "rounds");
  const [first] = late;
  if (first === undefined || late.length === 1) return faults;
  const names = late.map(({ name }) => name);
  const since = late.map((one) => one.since ?? "").toSorted()[0] ?? "";
  const one: Fault = {
    ...first,
    name: "",
    what: `${grouped(late.length)} rules had no round for three of their intervals: ${names.slice(0, SHOWN_RULES).join(", ")}${names.length > SHOWN_RULES ? ` and ${grouped(names.length - SHOWN_RULES)} more` : ""}`,
    since: since === "" ? null : since,
  };
  return [
    ...faults.filter(({ about }) => about === "database"),
    one,
    ...faults.filter(({ about }) => about !== "rounds" && about !== "database"),
  ];
}

function Rounds({ around: { watch, now } }: { readonly around: Around }) {
  return (
    <p class="when">
      {watch.last_round === null && "No round yet"}
      <Ago before="Last round " at={watch.last_round} now={now} />
      <Until before=", next in " at={watch.next_round} now={now} />
      <span id="live" data-kept="" />
    </p>
  );
}

function FaultRow({ fault, around }: { readonly fault: Fault; readonly around: Around }) {
  const mild = fault.about === "channel" || fault.about === "daemon";
  const severity = mild ? "warning" : "critical";
  return (
    <li class={severity}>
      <Mark name={`${severity}-firing`} />
      <b>
        {ABOUT[fault.about]} <Name of={fault.name} most={60} />
      </b>
      <p class="what">
        {cut(fault.what, 400)}
        {fault.do !== null && <span>{cut(fault.do, 400)}</span>}
      </p>
      <div class="acts">
        {fault.since !== null && (
          <span class="dim">
            since <When at={fault.since} now={around.now} />
          </span>
        )}
        {fault.about === "channel" && (
          <Action
            around={around}
            action="outbox-retry"
            fields={{ channel: fault.name }}
            word="Retry now"
            of={fault.name}
          />
        )}
        {fault.about === "source" && <a href="/source">Source</a>}
      </div>
    </li>
  );
}
