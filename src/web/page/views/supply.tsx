import { DAY, HOUR, MINUTE } from "../../../base/duration.ts";
import type { Alert } from "../../api/schemas/alerts.ts";
import type { Samples } from "../../api/schemas/history.ts";
import type { PageProps } from "../context.ts";
import { axisText, everyDigit, formOf } from "../format/form.ts";
import { spanText } from "../format/times.ts";
import { alertPath, countOf, cut } from "../format/words.ts";
import { numberOf } from "../parts/alert-picture.tsx";
import { Choice, Name, SpanChoice, Table } from "../parts/blocks.tsx";
import { AlertTally } from "../parts/distance.tsx";
import { Layout } from "../parts/layout.tsx";
import { ChangeBar } from "../pictures/bars.tsx";
import { Stack, StackSign } from "../pictures/stack.tsx";
import { pointsOfSamples } from "./alert-chart.tsx";
import { Nothing } from "./empty.tsx";

/** One chain's part of a token's supply. */
export interface SupplyPart {
  readonly alert: Alert;
  readonly samples: Samples;
}

export interface SupplyData {
  /** The tokens that rules watch, by the part of their keys without the chain. */
  readonly tokens: readonly { readonly key: string; readonly name: string }[];
  readonly token: string | null;
  readonly parts: readonly SupplyPart[];
  /** The most urgent alert of each rule on the token. */
  readonly rules: readonly Alert[];
  readonly span: string;
}

export const SUPPLY_SPANS: Readonly<Record<string, number>> = {
  "24h": DAY,
  "7d": 7 * DAY,
  "30d": 30 * DAY,
};

/** A chain with more than this share presses the others flat: it stands in the table only. */
const TOO_LARGE = 0.8;
const MOST_PARTS = 6;

interface Row {
  readonly part: SupplyPart;
  readonly value: number;
  /** What it was a day ago, or when the first of the chains was read since; null: this one was not. */
  readonly dayAgo: number | null;
}

/** A token's supply on each chain, stacked. */
export function SupplyPage({ around, data }: PageProps<SupplyData>) {
  const { tokens, token, parts, rules, span } = data;
  const since = changesSince(parts, around.now);
  const known = around.now - since;
  // A daemon that has just started knows no change yet.
  const before = known < MINUTE ? null : since;
  const day = before === null || known > 23.5 * HOUR ? "24 h" : spanText(known);
  const rows = parts
    .map((part) => rowOf(part, before))
    .filter((row) => row !== null)
    .toSorted((a, b) => b.value - a.value);
  const total = rows.reduce((sum, { value }) => sum + value, 0);
  const name = tokens.find(({ key }) => key === token)?.name ?? "";
  const [first] = rows;
  const form = first === undefined ? null : formOfPart(first.part);
  const write = (value: number): string => axisText(Number(value.toPrecision(3)), form);
  const large = rows.filter(
    ({ value }) => total > 0 && value / total > TOO_LARGE && rows.length > 1,
  );
  const stacked = rows.filter((row) => !large.includes(row)).slice(0, MOST_PARTS);
  const length = SUPPLY_SPANS[span] ?? DAY;
  const whole = { from: around.now - length, to: around.now };
  const stackedNow = stacked.reduce((sum, { value }) => sum + value, 0);
  return (
    <Layout around={around} current="/supply" title="Supply">
      <div class="verdict">
        <div>
          <h1>
            {rows.length === 0 ? (
              "Supply"
            ) : (
              <Name of={`${name} supply ${write(total)}`} most={80} />
            )}
          </h1>
          {rows.length > 0 && <p class="dim">on {countOf(rows.length, "chain")}</p>}
          <AlertTally alerts={rules} />
        </div>
        {tokens.length > 1 && (
          <Choice
            label="Token"
            look="chips"
            options={tokens.map((one) => ({
              to: pathOf(one.key, span),
              word: <Name of={one.name} most={30} />,
              here: one.key === token,
            }))}
          />
        )}
      </div>
      {rows.length === 0 ? (
        <Nothing
          what="No supply is watched."
          say="A rule of the kind token_supply puts its chains here."
        />
      ) : (
        <>
          <section class="card chart" aria-labelledby="h-stack">
            <header>
              <h2 id="h-stack">
                Supply by chain{" "}
                <span class="cnt">
                  {large
                    .map(
                      ({ part, value }) =>
                        `without ${chainOf(part)}, ${Math.round((value / total) * 100)}% of ${write(total)}`,
                    )
                    .join(", ")}
                </span>
              </h2>
              <SpanChoice
                spans={SUPPLY_SPANS}
                shown={span}
                pathOf={(one) => pathOf(token ?? "", one)}
              />
            </header>
            <figure data-live="stack">
              <Stack
                title={`Supply of ${cut(name, 60)}, stacked by chain`}
                desc={`Together ${write(stackedNow)} now: ${stacked.map(({ part, value }) => `${chainOf(part)} ${write(value)}`).join(", ")}.`}
                parts={stacked.map(({ part, value }) => ({
                  name: chainOf(part),
                  text: write(value),
                  points: pointsOfSamples(part.samples),
                }))}
                span={whole}
                nowText={write(stackedNow)}
                format={write}
              />
            </figure>
          </section>
          <Table
            label="Supply by chain"
            caption="Supply by chain"
            columns={["Chain", "Supply", "Share", day, `Change in ${day}`]}
            numbers={["Supply", "Share", day]}
            live="supply"
          >
            {rows.map((row) => (
              <SupplyRow
                row={row}
                index={stacked.indexOf(row)}
                total={total}
                most={mostChange(rows)}
                day={day}
              />
            ))}
          </Table>
        </>
      )}
    </Layout>
  );
}

function pathOf(token: string, span: string): string {
  return `/supply?${new URLSearchParams({ token, span }).toString()}`;
}

interface RowProps {
  readonly row: Row;
  readonly index: number;
  readonly total: number;
  readonly most: number;
  /** `24 h`, or for how long values are known. */
  readonly day: string;
}

function SupplyRow({ row, index, total, most, day }: RowProps) {
  const { part, value, dayAgo } = row;
  const { alert } = part;
  const change = changeOf(row);
  const form = formOfPart(part);
  const known = alert.compared?.value ?? alert.last?.value;
  const lit = alert.state === "firing";
  return (
    <tr>
      <th scope="row">
        <span class="st">
          {index >= 0 && <StackSign index={index} />}
          <a href={alertPath(alert)}>{cut(chainOf(part), 60)}</a>
        </span>
      </th>
      <td class="num val" data-of="Supply">
        <bdi>{known === undefined ? axisText(value, form) : cut(everyDigit(known), 60)}</bdi>
      </td>
      <td class="num" data-of="Share">
        {total > 0 ? `${((value / total) * 100).toFixed(1)}%` : "-"}
      </td>
      <td class="num" data-of={day}>
        {dayAgo === null
          ? "-"
          : `${value > dayAgo ? "+" : ""}${axisText(Number((value - dayAgo).toPrecision(3)), form)}`}
      </td>
      <td class={lit ? alert.severity : ""} data-of={`Change in ${day}`}>
        {change !== null && (
          <ChangeBar
            title={`Change in ${day}`}
            desc={`${(change * 100).toFixed(3)}%`}
            severity={lit ? alert.severity : null}
            share={most === 0 ? 0 : change / most}
          />
        )}
      </td>
    </tr>
  );
}

function chainOf({ alert }: SupplyPart): string {
  return alert.chain?.name ?? alert.name;
}

function formOfPart({ alert }: SupplyPart): ReturnType<typeof formOf> {
  const known = alert.compared?.value ?? alert.last?.value;
  return known === undefined ? null : formOf(known);
}

/** A day ago; where no chain is known for so long, when the first of them was read. */
function changesSince(parts: readonly SupplyPart[], now: number): number {
  const firsts = parts.flatMap(({ samples }) => {
    const first = samples.points.find(({ last }) => last !== null);
    return first === undefined ? [] : [Date.parse(first.at)];
  });
  return Math.max(now - DAY, Math.min(now, ...firsts));
}

function rowOf(part: SupplyPart, since: number | null): Row | null {
  const points = part.samples.points.filter(({ last }) => last !== null);
  const newest = points.at(-1)?.last;
  const value = newest === undefined || newest === null ? null : numberOf(newest);
  if (value === null) return null;
  const before =
    points.findLast(({ at }) => since !== null && Date.parse(at) <= since)?.last ?? null;
  return { part, value, dayAgo: before === null ? null : numberOf(before) };
}

function changeOf({ value, dayAgo }: Row): number | null {
  return dayAgo === null || dayAgo === 0 ? null : (value - dayAgo) / dayAgo;
}

function mostChange(rows: readonly Row[]): number {
  return Math.max(0, ...rows.map((row) => Math.abs(changeOf(row) ?? 0)));
}
