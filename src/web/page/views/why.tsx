import type { Child } from "hono/jsx";
import type { AlertDetail, Compared } from "../../api/schemas/alerts.ts";
import { everyDigit } from "../format/form.ts";
import { cut, titled, withoutIcon } from "../format/words.ts";
import { Digits } from "../parts/blocks.tsx";
import { When } from "../parts/time.tsx";

interface WhyProps {
  readonly detail: AlertDetail;
  readonly now: number;
  /** How far a position's price is out of its range; null: it is in it, or there is none. */
  readonly out: string | null;
}

const VALUE = 60;
/** A clause is more than a value. */
const CLAUSE = 240;

interface FactProps {
  readonly name: string;
  readonly value: string;
  /** So many characters of it. */
  readonly most?: number;
  readonly children?: Child;
}

function Fact({ name, value, most = VALUE, children }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <bdi {...titled(value.length > most ? value : null)}>{cut(value, most)}</bdi>
        <span>{children}</span>
      </dd>
    </div>
  );
}

/** What was compared with what, each with all of its digits. */
export function Why({ detail, now, out }: WhyProps) {
  const { alert } = detail;
  const { compared, range } = alert;
  if (range !== null) {
    return (
      <Facts>
        <Fact name="Price" value={range.price}>
          {range.unit}
        </Fact>
        <Fact name="Range" value={`${range.lower} to ${range.upper}`}>
          {range.unit}
        </Fact>
        <Fact name="In range" value={range.in_range ? "yes" : "no"}>
          {out ?? compared?.distance?.text ?? ""}
        </Fact>
        <Fact name="Tick" value={range.tick.toLocaleString("en-US")}>
          {`range ${range.lower_tick.toLocaleString("en-US")} to ${range.upper_tick.toLocaleString("en-US")}`}
        </Fact>
      </Facts>
    );
  }
  if (alert.entries !== null) {
    const { fires, last } = alert.entries;
    return (
      <Facts>
        <Fact name="Tells of" value={fires} most={CLAUSE} />
        <Fact
          name="Told last"
          most={CLAUSE}
          value={last === null ? "nothing yet" : withoutIcon(last.headline)}
        >
          {last !== null && <When at={last.at} now={now} />}
        </Fact>
      </Facts>
    );
  }
  if (compared === null) {
    return (
      <Facts>
        <Fact name="Value" value={alert.last?.value.text ?? "not known"}>
          {alert.last === null ? (
            "nothing was read of it yet"
          ) : (
            <When at={alert.last.at} now={now} />
          )}
        </Fact>
      </Facts>
    );
  }
  return (
    <Facts>
      <Fact name={compared.label} value={compared.value.text}>
        exactly <Digits of={everyDigit(compared.value)} most={100} />
      </Fact>
      {compared.base !== null && (
        <Fact name="Compared with" value={compared.base.text}>
          exactly <Digits of={everyDigit(compared.base)} most={100} />
          <When before=" at " at={compared.base_at} now={now} />
        </Fact>
      )}
      {compared.change !== null && (
        <Fact name="Change" value={compared.change.percent ?? compared.change.text}>
          {compared.change.percent === null ? "" : compared.change.text}
        </Fact>
      )}
      <Fact name="Fires when" value={compared.fires}>
        {limitWords(compared)}
      </Fact>
      {compared.distance !== null && (
        <Fact
          name={compared.distance.past ? "Past the limit" : "To the limit"}
          value={compared.distance.text}
        >
          {detail.comparisons.length > 1 ? `one of ${detail.comparisons.length} comparisons` : ""}
        </Fact>
      )}
    </Facts>
  );
}

function limitWords({ limits }: Compared): string {
  const texts = limits.map(({ text }) => text);
  return texts.length === 0 ? "" : `limit ${texts.join(" to ")}`;
}

function Facts({ children }: { readonly children?: Child }) {
  return (
    <section class="card" aria-labelledby="h-why" data-live="why">
      <h2 class="vh" id="h-why">
        Why it is so
      </h2>
      <dl class="why">{children}</dl>
    </section>
  );
}
