import type { Alert, AlertList } from "../../api/schemas/alerts.ts";
import { spanText } from "../format/times.ts";
import {
  alertPath,
  cut,
  grouped,
  liveKey,
  markOf,
  rulePath,
  titled,
  withoutIcon,
} from "../format/words.ts";
import { Mark } from "../sprite.tsx";
import { RowSpark } from "./alert-picture.tsx";
import { Name } from "./blocks.tsx";
import { Distance } from "./distance.tsx";
import { Ago } from "./time.tsx";

interface TableProps {
  readonly alerts: readonly Alert[];
  readonly caption: string;
  /** The rule's column, with each rule named once; false: all are of one rule. */
  readonly rules: boolean;
  /** All of them are ok: a narrow screen leaves the state out. */
  readonly allOk: boolean;
  readonly now: number;
  /** How many each rule has, where the first of them are shown alone. */
  readonly totals?: AlertList["rules"];
}

/** Of what fires it so many characters stand in the table. */
const FIRES = 90;

/** Alerts by rule, the nearest to its limit first. */
export function AlertTable({ alerts, caption, rules, allOk, now, totals = [] }: TableProps) {
  const left = new Map(totals.map(({ rule, total }) => [rule, total]));
  for (const { rule } of alerts) left.set(rule, (left.get(rule) ?? 0) - 1);
  return (
    <table class={allOk ? "tbl live allok" : "tbl live"}>
      <caption class="vh">{caption}</caption>
      <thead>
        <tr>
          {rules && <th scope="col">Rule</th>}
          <th scope="col">Subject</th>
          <th scope="col" class="c-st">
            State
          </th>
          <th scope="col" class="num">
            Value
          </th>
          <th scope="col" class="c-lim">
            Fires
          </th>
          <th scope="col" {...(rules ? {} : { "aria-sort": "descending" })}>
            Distance to the limit
          </th>
          <th scope="col" class="c-spark">
            Last 24 h
          </th>
        </tr>
      </thead>
      <tbody>
        {alerts.map((alert, i) => (
          <>
            <TableRow
              alert={alert}
              rules={rules}
              first={!rules || alert.rule !== alerts[i - 1]?.rule}
              now={now}
            />
            {alert.rule !== alerts[i + 1]?.rule && (
              <MoreRow rule={alert.rule} left={left.get(alert.rule) ?? 0} />
            )}
          </>
        ))}
      </tbody>
    </table>
  );
}

/** Where the others of a rule are. */
function MoreRow({ rule, left }: { readonly rule: string; readonly left: number }) {
  if (left <= 0) return null;
  return (
    <tr class="more">
      <td class="c-rule" />
      <td colspan={6}>
        <a href={rulePath(rule)}>
          {grouped(left)} more
          <span class="vh"> of {cut(rule, 60)}</span>
        </a>
      </td>
    </tr>
  );
}

interface TableRowProps {
  readonly alert: Alert;
  readonly rules: boolean;
  readonly first: boolean;
  readonly now: number;
}

function TableRow({ alert, rules, first, now }: TableRowProps) {
  const { compared, entries } = alert;
  const mark = markOf(alert);
  const tone = alert.state === "ok" ? mark.tone : alert.severity;
  const value = compared?.value ?? alert.last?.value ?? null;
  return (
    <tr
      class={[tone, first ? "first" : ""].filter((name) => name !== "").join(" ")}
      data-alert={liveKey(alert)}
    >
      {rules && (
        <td class="c-rule">
          {first ? (
            <a
              class="mono"
              href={rulePath(alert.rule)}
              {...titled(alert.rule.length > 24 ? alert.rule : null)}
            >
              <Name of={alert.rule} most={24} />
            </a>
          ) : (
            <span class="vh">{cut(alert.rule, 24)}</span>
          )}
        </td>
      )}
      <th scope="row">
        <a href={alertPath(alert)}>
          <Name of={alert.name} />
        </a>
      </th>
      <td class="c-st">
        <span class="st">
          <Mark name={mark.name} tone={mark.tone} />
          <StateWords alert={alert} now={now} />
        </span>
      </td>
      <td
        class="num val"
        {...titled(value === null || value.exact === value.text ? null : `exactly ${value.exact}`)}
      >
        {entries === null ? (
          <Name of={rangeWords(alert) ?? shortAddress(value?.text ?? "")} most={40} />
        ) : entries.last === null ? (
          <span class="dim">nothing told yet</span>
        ) : (
          <>
            told <Ago at={entries.last.at} now={now} />
          </>
        )}
      </td>
      <td
        class={entries === null ? "c-lim dim" : "c-lim dim words"}
        {...titled(entries === null || entries.fires.length <= FIRES ? null : entries.fires)}
      >
        <Name of={entries?.fires ?? compared?.fires ?? ""} most={FIRES} />
      </td>
      <td class="c-dist">
        {entries === null ? (
          <Distance alert={alert} />
        ) : (
          entries.last !== null && (
            <bdi class="dim" {...titled(withoutIcon(entries.last.headline))}>
              {cut(withoutIcon(entries.last.headline), 80)}
            </bdi>
          )
        )}
      </td>
      <td class="c-spark">
        <RowSpark alert={alert} />
      </td>
    </tr>
  );
}

/** Of a rule that asks for it; null: its value speaks. */
function rangeWords({ range, compared }: Alert): string | null {
  if (range?.closed === true) return "closed";
  if (compared !== null && compared.metric !== "in_range") return null;
  const isIn = range?.in_range ?? (compared === null ? null : compared.value.exact === "true");
  return isIn === null ? null : isIn ? "in range" : "out of range";
}

/** `0x1acf37…26dc0a`: nobody reads the middle, and the title has all of it. */
function shortAddress(text: string): string {
  return /^0x[\da-f]{20,}$/i.test(text) ? `${text.slice(0, 8)}…${text.slice(-6)}` : text;
}

function StateWords({ alert, now }: { readonly alert: Alert; readonly now: number }) {
  if (alert.state === "ok") return markOf(alert).label;
  return (
    <b>
      {alert.state} {spanText(now - Date.parse(alert.fired_at ?? alert.since))}
    </b>
  );
}
