import { HOUR } from "../../../base/duration.ts";
import { groupBy } from "../../../base/group-by.ts";
import type { Alert } from "../../api/schemas/alerts.ts";
import type { Around } from "../context.ts";
import { axisText } from "../format/form.ts";
import { spanText } from "../format/times.ts";
import { alertPath, countOf, cut, liveKey, markOf, quietOf, STATE_RANK } from "../format/words.ts";
import { edgeShare, inTicks, RangePicture } from "../parts/alert-picture.tsx";
import { Name, SectionHead } from "../parts/blocks.tsx";
import { Layout } from "../parts/layout.tsx";
import { rangeExtent } from "../pictures/range.tsx";
import { type Extent, percent, shareOf } from "../pictures/scale.ts";
import { Mark } from "../sprite.tsx";
import { Nothing } from "./empty.tsx";

interface PositionsProps {
  readonly around: Around;
  /** Alerts of positions, several of one position where several rules watch it. */
  readonly alerts: readonly Alert[];
  /** There are more than were read. */
  readonly more: boolean;
}

/** All ranges on one screen: those of one pair on one chain share their axis. */
export function PositionsPage({ around, alerts, more }: PositionsProps) {
  const positions = onePerPosition(alerts);
  const closed = positions.filter(({ range }) => range?.closed === true).length;
  const unknown = positions.filter(({ range }) => range === null).length;
  const inRange = positions.filter(({ range }) => range?.closed === false && range.in_range).length;
  const out = positions.length - inRange - unknown - closed;
  const groups = byPool(positions);
  const lost = positions.filter(({ range }) => range === null);
  return (
    <Layout around={around} current="/positions" title="Positions">
      {positions.length === 0 ? (
        <>
          <div class="verdict">
            <h1>Positions</h1>
          </div>
          <Nothing
            what="No positions."
            say="A rule of the kind v4_position, or of v3_position, puts its ranges here."
          />
        </>
      ) : (
        <>
          <div class="verdict">
            <div data-live="positions">
              <h1>
                {countOf(positions.length, "position")}: {inRange} in range, {out} out
                {closed > 0 && `, ${closed} closed`}
                {unknown > 0 && `, ${unknown} not known`}
              </h1>
              {more && <p class="dim">The first 500 alerts of each kind of position are shown.</p>}
            </div>
            <Legend />
          </div>
          {groups.map((group, i) => (
            <Pool group={group} index={i} now={around.now} />
          ))}
          {lost.length > 0 && (
            <section class="pool" aria-labelledby="h-lost">
              <SectionHead
                id="lost"
                title="Not known"
                count={lost.length}
                say="closed, or without data"
              />
              <ul class="rows">
                {lost.map((alert) => (
                  <li class="row">
                    <Mark {...markOf(alert)} />
                    <div>
                      <p class="say">
                        <a href={alertPath(alert)}>
                          <Name as="b" of={alert.name} />
                        </a>
                      </p>
                    </div>
                    <span />
                    <div class="side dim">{cut(alert.no_data?.reason ?? alert.state, 120)}</div>
                  </li>
                ))}
              </ul>
            </section>
          )}
        </>
      )}
    </Layout>
  );
}

/** Positions of one pair on one chain, in the order in which they came. */
function byPool(positions: readonly Alert[]): Alert[][] {
  const known = positions.filter(({ range }) => range !== null);
  const groups = groupBy(known, ({ range, chain }) => `${range?.unit ?? ""}\n${chain?.name ?? ""}`);
  return [...groups.values()];
}

/** The alert that says most of each position: the one of its range that fires, if one does. */
function onePerPosition(alerts: readonly Alert[]): Alert[] {
  const best = new Map<string, Alert>();
  for (const alert of alerts) {
    if (alert.event && best.has(alert.subject)) continue;
    const known = best.get(alert.subject);
    if (known === undefined || known.event || rankOf(alert) > rankOf(known))
      best.set(alert.subject, alert);
  }
  return [...best.values()];
}

function rankOf(alert: Alert): number {
  return STATE_RANK[alert.state] * 2 + (alert.compared?.metric === "in_range" ? 1 : 0);
}

interface PoolProps {
  readonly group: readonly Alert[];
  readonly index: number;
  readonly now: number;
}

const MARKS = 6;

function Pool({ group, index, now }: PoolProps) {
  const [first] = group;
  const range = first?.range ?? null;
  if (first === undefined || range === null) return null;
  const extent = rangeExtent(group.map(inTicks));
  const { price } = inTicks(first);
  const id = `p${index + 1}`;
  const now1 = shareOf(price, extent);
  return (
    <section class="pool" id={id} aria-labelledby={`h-${id}`}>
      <div class="sechead">
        <h2 id={`h-${id}`}>
          <Name of={pairName(range.unit)} most={60} />, {first.chain?.name ?? "several chains"}{" "}
          <span class="cnt">
            {group.length === 1 ? "1 position" : `${group.length} positions, one axis`}
          </span>
        </h2>
        <p>
          <bdi>
            {range.price} {cut(range.unit, 60)}
          </bdi>
          {dayChange(first)}
        </p>
      </div>
      <div class="card">
        <div class="pos ax">
          <span />
          <span />
          <div class="pic">
            <svg width="100%" height="30" role="img">
              <title>Price axis, now {range.price}</title>
              {axisMarks(extent, price, range.price).map(({ share, text }, i, all) => (
                <text
                  x={percent(share)}
                  y="27"
                  text-anchor={i === 0 ? "start" : i === all.length - 1 ? "end" : "middle"}
                >
                  {text}
                </text>
              ))}
              <text
                class="strong"
                x={percent(now1)}
                y="11"
                text-anchor={now1 < 0.12 ? "start" : now1 > 0.88 ? "end" : "middle"}
              >
                now {range.price}
              </text>
            </svg>
          </div>
          <span />
        </div>
        <ul>
          {group.map((alert) => (
            <Position alert={alert} extent={extent} now={now} />
          ))}
        </ul>
      </div>
    </section>
  );
}

/** `USDC per ETH` as people call the pair: `ETH/USDC`. */
function pairName(unit: string): string {
  const [quote = "", base] = unit.split(" per ");
  return base === undefined ? unit : `${base}/${quote}`;
}

/** Prices along an axis of ticks: each is the price of now, as many ticks away as it stands. */
function axisMarks(extent: Extent, tick: number, price: string): { share: number; text: string }[] {
  const at = Number(price.replaceAll(",", ""));
  if (!(at > 0)) return [];
  return Array.from({ length: MARKS }, (_, i) => {
    const share = i / (MARKS - 1);
    const value = at * (1 + edgeShare(extent.low + share * (extent.high - extent.low) - tick));
    return { share, text: axisText(Number(value.toPrecision(3)), null) };
  });
}

/** `, -6.9% in 24 h`, from where the price was, as far back as it is known. */
function dayChange(alert: Alert): string {
  const { price, trail } = inTicks(alert);
  const first = trail.find(({ value }) => value !== null);
  const end = trail.at(-1);
  if (first === undefined || first.value === null || end === undefined) return "";
  const known = Date.parse(alert.recent?.to ?? "") - first.at;
  const share = edgeShare(price - first.value);
  return `, ${share >= 0 ? "+" : ""}${(share * 100).toFixed(Math.abs(share) >= 0.1 ? 0 : 1)}% in ${known > 23.5 * HOUR ? "24 h" : spanText(known)}`;
}

interface PositionProps {
  readonly alert: Alert;
  readonly extent: Extent;
  readonly now: number;
}

function Position({ alert, extent, now }: PositionProps) {
  const mark = markOf(alert);
  const lit = alert.state === "firing" || alert.state === "recovering";
  const id = alert.subject.split(":").at(-1) ?? "";
  return (
    <li
      class={`pos${alert.state === "ok" ? "" : ` ${alert.severity}`}${lit ? " lit" : ""}`}
      data-alert={liveKey(alert)}
    >
      <Mark {...mark} />
      <div class="who">
        <b>
          <a class="plain" href={alertPath(alert)}>
            <Name of={alert.name} most={60} />
          </a>
        </b>
        <span>
          <bdi>{id.length > 14 ? `${id.slice(0, 6)}…${id.slice(-6)}` : id}</bdi> ·{" "}
          {cut(alert.rule, 40)}
        </span>
      </div>
      <div class="pic">
        <RangePicture alert={alert} now={now} axis={extent} />
      </div>
      <p class="say">
        <b>{distanceWords(alert)}</b>
        <span>{stateWords(alert, now)}</span>
      </p>
    </li>
  );
}

function distanceWords({ range }: Alert): string {
  if (range === null) return "";
  if (range.closed) return "closed";
  const { in_range: isIn, edge, distance } = range;
  if (distance === null) return "in range, over all prices";
  if (isIn) return `${distance} to the ${edge} edge`;
  return `${distance} ${edge === "lower" ? "below" : "above"}`;
}

function stateWords(alert: Alert, now: number): string {
  const quiet = quietOf(alert);
  const lasts = spanText(now - Date.parse(alert.fired_at ?? alert.since));
  if (quiet !== null)
    return `${quiet.by === "silence" ? "silenced" : "muted"}, ${alert.state} ${lasts}`;
  const who = alert.ack === null ? "" : `, ${cut(alert.ack.by, 40)} is on it`;
  return alert.state === "ok" ? `ok for ${lasts}` : `${alert.state} ${lasts}${who}`;
}

function Legend() {
  return (
    <p class="legend">
      <span>
        <svg width="46" height="16" aria-hidden="true">
          <rect class="rng" x="4" y="2" width="38" height="12" />
          <path class="end" d="M4 0v16M42 0v16" />
          <circle class="now" cx="26" cy="8" r="5" />
        </svg>
        in range, price now
      </span>
      <span>
        <svg width="46" height="16" aria-hidden="true">
          <rect class="rng out" x="16" y="2" width="28" height="12" />
          <path class="end" d="M16 0v16M44 0v16" />
          <path class="gap" d="M4 8h12" />
          <circle class="now" cx="4" cy="8" r="4" />
        </svg>
        out of range
      </span>
      <span>
        <svg width="24" height="16" aria-hidden="true">
          <path class="trail" d="M4 1 8 5 5 9 18 15" />
        </svg>
        the last 24 h, now on top
      </span>
    </p>
  );
}
