import { isDeepStrictEqual } from "node:util";
import { type Arrival, blocksOf } from "./receivers.ts";
import type { Ran, RunPlan } from "./run.ts";
import type { Stored, StoredMessage, ToldNotice } from "./stored.ts";

/**
 * What is wrong with a run, compared with an undisturbed one; nothing: everybody heard everything, in
 * order, and at most one message again for each kill. `again`: no round was missed, so that all that is
 * stored is the same. To programs each notice goes alone, so that the messages are the same as well; to
 * people a start brings what it finds and what is still owed as one, and every other message is the same.
 */
export function faultsOf(
  ran: Ran,
  undisturbed: Ran,
  { again, pace, groupWait }: RunPlan,
): string[] {
  const faults = again
    ? stateFaults(ran.stored.state, undisturbed.stored.state)
    : storyFaults(ran, undisturbed);
  if (again && pace === "patient" && groupWait === "0s") {
    faults.push(...stateFaults(toPrograms(ran.stored), toPrograms(undisturbed.stored)));
    faults.push(...groupFaults(ran, undisturbed));
  }
  const { told, messages } = ran.stored;
  for (const { channel, id, message, state } of told) {
    if (state !== "sent") faults.push(`${channel} was never told ${id} (${message}: ${state})`);
  }
  for (const channel of new Set(told.map((one) => one.channel))) {
    const of = <T extends { readonly channel: string }>(all: readonly T[]): T[] =>
      all.filter((one) => one.channel === channel);
    const came = of(ran.arrivals);
    faults.push(...channelFaults(channel, came, of(messages), of(told), ran.kills));
  }
  return faults;
}

function toPrograms({ sent }: Stored): Stored["state"] {
  return { sent: sent.filter(({ channel }) => channel === "hook") };
}

/** Only the message of a start may hold other notices together than one of the undisturbed run does. */
function groupFaults({ stored, kills }: Ran, undisturbed: Ran): string[] {
  const usual = new Set(groupsOf(undisturbed.stored));
  const others = new Map<string, number>();
  for (const group of groupsOf(stored)) {
    const [channel = ""] = group.split(" ");
    if (!usual.has(group)) others.set(channel, (others.get(channel) ?? 0) + 1);
  }
  return [...others]
    .filter(([, count]) => count > kills)
    .map(([channel, count]) => `${channel} got ${count} messages of other notices than usual`);
}

/** Of each message the channel and the notices in it. */
function groupsOf({ told }: Stored): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const { channel, message, id } of told) {
    const key = `${channel} ${message}`;
    groups.set(key, [...(groups.get(key) ?? []), id]);
  }
  return [...groups].map(([key, ids]) => `${key.split(" ")[0]} ${ids.toSorted().join(" ")}`);
}

function stateFaults(state: Stored["state"], undisturbed: Stored["state"]): string[] {
  const faults: string[] = [];
  for (const [table, rows] of Object.entries(undisturbed)) {
    const found = state[table] ?? [];
    const lacking = rows.filter((row) => !found.some((one) => isDeepStrictEqual(one, row)));
    const extra = found.filter((row) => !rows.some((one) => isDeepStrictEqual(one, row)));
    for (const row of lacking) faults.push(`${table} lacks ${JSON.stringify(row)}`);
    for (const row of extra) faults.push(`${table} has ${JSON.stringify(row)} as well`);
    if (found.length !== rows.length) faults.push(`${table} has ${found.length} rows`);
  }
  return faults;
}

/** Where a round was missed the dates differ, but not what is told of each alert. */
function storyFaults(ran: Ran, undisturbed: Ran): string[] {
  const expected = storiesOf(undisturbed.stored.told);
  const found = storiesOf(ran.stored.told);
  const faults: string[] = [];
  for (const about of new Set([...expected.keys(), ...found.keys()])) {
    const [was, is] = [expected.get(about), found.get(about)];
    if (was !== is) faults.push(`${about}: ${is ?? "nothing"} instead of ${was ?? "nothing"}`);
  }
  return faults;
}

function storiesOf(told: readonly ToldNotice[]): Map<string, string> {
  const stories = new Map<string, string>();
  for (const { channel, about, kind } of told) {
    const key = `${channel}, ${about}`;
    stories.set(key, `${stories.get(key) ?? ""} ${kind}`);
  }
  return stories;
}

function channelFaults(
  channel: string,
  came: readonly Arrival[],
  messages: readonly StoredMessage[],
  told: readonly ToldNotice[],
  kills: number,
): string[] {
  const faults: string[] = [];
  const known = new Map(messages.map((message) => [keyOf(message), message]));
  const first = new Map<string, string>();
  const held = new Map<string, number>();
  let newest = 0;
  for (const { id, body, has } of came) {
    const message = known.get(id);
    if (message === undefined) faults.push(`${channel} got what was never written down: ${body}`);
    else if (message.seq < newest) faults.push(`${channel} got ${message.id} after a newer one`);
    newest = Math.max(newest, message?.seq ?? 0);
    if (channel === "hook" && message !== undefined && message.body !== body) {
      faults.push(`${channel} got another body than was frozen: ${body}`);
    }
    if ((first.get(id) ?? body) !== body) faults.push(`${channel} got ${id} in two forms`);
    first.set(id, body);
    if (has) held.set(id, (held.get(id) ?? 0) + 1);
  }
  for (const [key, { id }] of known) {
    if (!held.has(key)) faults.push(`${channel} never got ${id}`);
  }
  // The receiver asks for a repeat itself when it goes away before it has answered.
  const asked = came.filter(({ has, said }) => has && !said).length;
  const repeats = [...held.values()].reduce((sum, times) => sum + times - 1, 0);
  if (repeats > asked + kills) faults.push(`${channel} got ${repeats} messages again`);
  return [...faults, ...orderFaults(channel, came, known, told)];
}

/** Of each alert everything is told in the order in which it happened. */
function orderFaults(
  channel: string,
  came: readonly Arrival[],
  known: ReadonlyMap<string, StoredMessage>,
  told: readonly ToldNotice[],
): string[] {
  const faults: string[] = [];
  const latest = new Map<string, number>();
  const seen = new Set<string>();
  for (const { id, has } of came) {
    if (!has || seen.has(id)) continue;
    seen.add(id);
    const message = known.get(id)?.id;
    for (const notice of told.filter((one) => one.message === message)) {
      const before = latest.get(notice.about) ?? 0;
      if (notice.seq < before) faults.push(`${channel} heard ${notice.id} after what followed it`);
      latest.set(notice.about, Math.max(before, notice.seq));
    }
  }
  return faults;
}

/** A message's id as its receiver sees it. */
function keyOf({ channel, id, body }: StoredMessage): string {
  return channel === "slack" ? blocksOf(body) : id;
}
