import { DAY, HOUR } from "../../../base/duration.ts";
import type { Zone } from "../../../base/zone.ts";
import type { Alert } from "../../api/schemas/alerts.ts";
import type { Samples } from "../../api/schemas/history.ts";
import type { Around, PageProps } from "../context.ts";
import { axisText, everyDigit, firstForm, type ValueForm } from "../format/form.ts";
import { alertPath, cut, spokenOf } from "../format/words.ts";
import { numberOf } from "../parts/alert-picture.tsx";
import { Choice, Fact, Name, Section } from "../parts/blocks.tsx";
import { AlertTally, Distance } from "../parts/distance.tsx";
import { Layout } from "../parts/layout.tsx";
import { HeatLegend, heatScale, TallHeat, UsualDay, WideHeat } from "../pictures/heat.tsx";
import { Spark } from "../pictures/spark.tsx";
import { Nothing } from "./empty.tsx";
import { hoursOf, medianByHour, weekOf } from "./gas-week.ts";

export interface GasData {
  /** All alerts on gas. */
  readonly alerts: readonly Alert[];
  /** The one whose metric is shown; null: there is none. */
  readonly shown: Alert | null;
  /** Hours of the last seven days. */
  readonly samples: Samples | null;
  readonly zone: Zone;
  /** `UTC`, or the viewer's. */
  readonly zoneName: string;
}

/** The week as a heat map by hour of day, for who decides when to send. */
export function GasPage({ around, data }: PageProps<GasData>) {
  const { alerts, shown, samples } = data;
  if (shown === null) {
    return (
      <Layout around={around} current="/gas" title="Gas">
        <div class="verdict">
          <h1>Gas</h1>
        </div>
        <Nothing what="No rule on gas." say="A rule of the kind gas puts its week here." />
      </Layout>
    );
  }
  return (
    <Layout around={around} current="/gas" title={`Gas on ${shown.chain?.name ?? shown.name}`}>
      <div class="verdict">
        <div>
          <h1 data-live="h1">
            <Name of={shown.sentence} />
          </h1>
          <AlertTally alerts={alerts.filter(({ subject }) => subject === shown.subject)} />
        </div>
        <Chips alerts={alerts} shown={shown} />
      </div>
      {samples === null ? (
        <Nothing what="No samples are kept of it." say="They come with the first rounds." />
      ) : (
        <Week around={around} data={data} shown={shown} samples={samples} />
      )}
      <section class="sec card pad" aria-labelledby="h-rules">
        <h2 id="h-rules">Rules on gas</h2>
        <ul class="near">
          {alerts.map((alert) => (
            <li>
              <span>
                <a class="mono" href={alertPath(alert)}>
                  <Name of={alert.rule} most={40} />
                </a>
                <br />
                <Name as="span" class="dim" of={alert.name} most={40} />
              </span>
              <Distance alert={alert} />
            </li>
          ))}
        </ul>
      </section>
    </Layout>
  );
}

/** One chip for each chain and metric that a rule watches. */
function Chips({ alerts, shown }: { readonly alerts: readonly Alert[]; readonly shown: Alert }) {
  const seen = new Map<string, Alert>();
  for (const alert of alerts) {
    const key = `${alert.subject} ${spokenOf(alert)?.metric ?? ""}`;
    if (!seen.has(key)) seen.set(key, alert);
  }
  const options = Array.from(seen.values(), (alert) => {
    const { subject, chain, name } = alert;
    const spoken = spokenOf(alert);
    const query = new URLSearchParams({ subject, metric: spoken?.metric ?? "" });
    const word = `${cut(chain?.name ?? name, 30)}: ${cut(spoken?.label ?? "", 30)}`;
    return {
      to: `/gas?${query.toString()}`,
      word: <bdi>{word}</bdi>,
      here: subject === shown.subject && spoken?.metric === spokenOf(shown)?.metric,
    };
  });
  return <Choice label="Chain and metric" look="chips" options={options} />;
}

interface WeekProps {
  readonly around: Around;
  readonly data: GasData;
  readonly shown: Alert;
  readonly samples: Samples;
}

function Week({ around, data, shown, samples }: WeekProps) {
  const { zone, zoneName } = data;
  const { now } = around;
  const form = formOfGas(shown);
  const hours = hoursOf(samples);
  const values = [...hours.values()].filter((value) => value !== null);
  const limit = upperLimit(shown, samples);
  const scale = heatScale(values, limit?.value ?? null);
  const short = (value: number): string => cellText(value, form);
  const days = weekOf(hours, now, zone, short);
  const wall = new Date(now + zone.offset(now));
  const hour = wall.getUTCHours();
  const medians = medianByHour(hours, zone);
  const usual = medians[hour] ?? null;
  const above = limit === null ? 0 : values.filter((value) => value > limit.value).length;
  const label = `${shown.compared?.label ?? samples.label} on ${cut(shown.chain?.name ?? shown.name, 60)}`;
  const unit = form === null ? "" : form.after.trim();
  const desc = [
    `Seven days by hour, ${zoneName}.`,
    scale.cheap === null ? "" : `The cheapest tenth is at or below ${axisText(scale.cheap, form)}.`,
    limit === null
      ? ""
      : `${above} of ${values.length} hours were above the limit of ${limit.text}.`,
  ].join(" ");
  const heat = { title: `${label}, the last seven days by hour`, desc, days, scale, hour };
  return (
    <>
      <section class="card" aria-labelledby="h-now" data-live="now">
        <h2 class="vh" id="h-now">
          Now
        </h2>
        <dl class="why">
          <Figure name="Now" value={shown.compared?.value.text ?? "not known"}>
            {shown.compared === null ? "" : `exactly ${everyDigit(shown.compared.value)}`}
          </Figure>
          <Figure
            name="Usual at this hour"
            value={usual === null ? "not known" : shortText(usual, form)}
          >
            {`median of the week at ${String(hour).padStart(2, "0")}:00`}
          </Figure>
          <Figure
            name="Cheapest tenth of the week"
            value={scale.cheap === null ? "not known yet" : `≤ ${shortText(scale.cheap, form)}`}
          >
            {scale.cheap === null
              ? `after a day; ${values.length} hours are known`
              : `of ${values.length} hours`}
          </Figure>
          {limit !== null && (
            <Figure name="Above the limit" value={`${above} h of ${values.length} h`}>
              {limit.text}
            </Figure>
          )}
        </dl>
      </section>
      <Section
        id="heat"
        title="The week by hour"
        count={`${unit === "" ? "" : `in ${unit}, `}hours in ${zoneName}`}
      >
        <div class="card pad">
          <figure data-live="heat">
            <WideHeat {...heat} />
            <TallHeat {...heat} />
            <HeatLegend texts={scale.cuts.map(short)} />
          </figure>
        </div>
      </Section>
      <div class="cols3 sec">
        <section class="card" aria-labelledby="h-usual">
          <h2 id="h-usual">
            A usual day <span class="cnt">median of each hour</span>
          </h2>
          <figure data-live="usual">
            <UsualDay
              title="A usual day: the median of each hour over the week"
              desc={usual === null ? "" : `At this hour ${axisText(usual, form)}.`}
              medians={medians}
              hour={hour}
              limit={limit}
            />
          </figure>
        </section>
        <section class="card" aria-labelledby="h-day">
          <h2 id="h-day">
            Last 24 h <span class="cnt">hour by hour</span>
          </h2>
          <figure data-live="day">
            <Spark
              title={`${label} in the last day`}
              desc={desc}
              severity={shown.severity}
              points={[...hours]
                .filter(([at]) => at + HOUR > now - DAY)
                .flatMap(([at, value]) => [
                  { at: Math.max(at, now - DAY), value },
                  { at: Math.min(at + HOUR, now), value },
                ])}
              span={{ from: now - DAY, to: now }}
              limits={limit === null ? [] : [limit]}
              firing={[]}
              calm={shown.state === "ok" || shown.state === "pending"}
            />
          </figure>
        </section>
      </div>
    </>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly children: string;
}

function Figure({ name, value, children }: FigureProps) {
  return (
    <Fact name={name}>
      {value}
      <span>{children}</span>
    </Fact>
  );
}

function formOfGas({ compared, last }: Alert): ValueForm | null {
  return firstForm([compared?.value, ...(compared?.limits ?? []), last?.value]);
}

/** Three digits, as notices have them. */
function shortText(value: number, form: ValueForm | null): string {
  return axisText(Number(value.toPrecision(3)), form);
}

/** Three digits without the unit, which stands above. */
function cellText(value: number, form: ValueForm | null): string {
  const number = value / 10 ** (form?.power ?? 0);
  return number >= 100 ? number.toFixed(0) : number >= 10 ? number.toFixed(1) : number.toFixed(2);
}

/** The limit above which the shown rule fires. */
function upperLimit(
  shown: Alert,
  samples: Samples,
): { readonly value: number; readonly text: string } | null {
  const own = samples.limits.find(
    ({ rule, op }) => rule === shown.rule && (op === "above" || op === "at_least"),
  );
  const value = own?.values[0] === undefined ? null : numberOf(own.values[0]);
  return own === undefined || value === null ? null : { value, text: own.fires };
}
