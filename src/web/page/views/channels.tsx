import type {
  Channel,
  ChannelList,
  OutboxEntry,
  OutboxList,
  SilenceList,
} from "../../api/schemas/operations.ts";
import type { Around } from "../context.ts";
import { clauses, countOf, cut, grouped, withoutIcon } from "../format/words.ts";
import { Head, LinkButton, Name, Section, Table } from "../parts/blocks.tsx";
import { Action } from "../parts/forms.tsx";
import { Layout } from "../parts/layout.tsx";
import { Since, When } from "../parts/time.tsx";
import { Mark, type MarkName } from "../sprite.tsx";
import { Nothing } from "./empty.tsx";
import { Silences } from "./silences.tsx";

interface ChannelsProps {
  readonly around: Around;
  readonly channels: ChannelList;
  readonly dead: OutboxList;
  readonly open: OutboxList;
  readonly silences: SilenceList;
}

/** What is queued and for whom, what was given up, and what is silent. */
export function ChannelsPage({ around, channels, dead, open, silences }: ChannelsProps) {
  return (
    <Layout around={around} current="/channels" title="Channels">
      <Head
        live="h1"
        title={channelWords(channels)}
        say={[
          open.total === 0 ? "Nothing is queued" : `${grouped(open.total)} queued`,
          countOf(dead.total, "dead letter", "no dead letters"),
          countOf(silences.silences.length, "silence", "no silence"),
        ].join(", ")}
      />
      <Section id="channels" anchor title="Outbox and channels" say="what is queued, and for whom">
        {channels.channels.length === 0 ? (
          <Nothing
            what="No channels."
            say="Name some under channels: in the configuration, and rules that notify them."
          />
        ) : (
          <Table
            label="Channels"
            columns={["Channel", "State", "Queued", "Held back", "Dead", "Last answer", "Actions"]}
            numbers={["Queued", "Held back", "Dead"]}
            live="channels"
          >
            {channels.channels.map((channel) => (
              <ChannelRow channel={channel} around={around} />
            ))}
          </Table>
        )}
      </Section>
      <Entries
        id="dead"
        title="Dead letters"
        say="given up; they are sent when you retry them"
        list={dead}
        around={around}
      />
      <Entries id="open" title="Queued" say="still to be delivered" list={open} around={around} />
      <Silences silences={silences} around={around} />
    </Layout>
  );
}

/** Whether people hear of what happens. */
function channelWords({ channels }: ChannelList): string {
  const bad = channels.filter(({ state }) => state === "rejecting" || state === "unreachable");
  if (channels.length === 0) return "No channels";
  if (bad.length === 0) return channels.length === 1 ? "The channel works" : "All channels work";
  return bad.length === 1
    ? `Channel ${cut(bad[0]?.name ?? "", 60)} does not deliver`
    : `${bad.length} of ${channels.length} channels do not deliver`;
}

/** The error of what somebody dropped. */
const DROPPED = "dropped by hand";

const STATES: Readonly<
  Record<Channel["state"], readonly [mark: MarkName, tone: string, word: string]>
> = {
  answers: ["check", "good", "answers"],
  rejecting: ["broken", "warning", "rejecting"],
  unreachable: ["broken", "warning", "unreachable"],
  idle: ["ok", "", "idle"],
};

function ChannelRow({ channel, around }: { readonly channel: Channel; readonly around: Around }) {
  const [mark, tone, word] = STATES[channel.state];
  const bad = tone === "warning";
  return (
    <tr class={bad ? "warning" : ""}>
      <th scope="row">
        <Name of={channel.name} most={60} /> <span class="dim">{channel.kind}</span>
      </th>
      <td>
        <span class="st">
          <Mark name={mark} tone={tone} />
          {bad ? <b>{word}</b> : word}
          {bad && <Since before="for " at={channel.since} now={around.now} />}
        </span>
      </td>
      <td class="num val" data-of="Queued">
        {grouped(channel.owed)}
      </td>
      <td class="num" data-of="Held back">
        {grouped(channel.held)}
      </td>
      <td class="num" data-of="Dead">
        {channel.dead === 0 ? "0" : <a href="#dead">{grouped(channel.dead)}</a>}
      </td>
      <td data-of="Last answer">
        {channel.reason !== null ? (
          <Name of={channel.reason} most={120} />
        ) : channel.last === null ? (
          <span class="dim">nothing was sent yet</span>
        ) : (
          <>
            {channel.last.outcome} <When at={channel.last.at} now={around.now} />
            {channel.last.answer !== null &&
              channel.last.outcome !== "sent" &&
              `: ${cut(channel.last.answer, 120)}`}
          </>
        )}
      </td>
      <td>
        <div class="acts">
          {channel.owed > 0 && (
            <Action
              around={around}
              action="outbox-retry"
              fields={{ channel: channel.name }}
              word="Retry"
              of={channel.name}
            />
          )}
          {channel.dead > 0 && (
            <a
              class="btn"
              href={`/channels/dead-letters?${new URLSearchParams({ channel: channel.name }).toString()}`}
            >
              Dead letters<span class="vh"> of {cut(channel.name)}</span>
            </a>
          )}
          <Action
            around={around}
            action="send-test"
            fields={{ channel: channel.name }}
            word="Send a test"
            of={`to ${channel.name}`}
          />
        </div>
      </td>
    </tr>
  );
}

interface EntriesProps {
  readonly id: "dead" | "open";
  readonly title: string;
  readonly say: string;
  readonly list: OutboxList;
  readonly around: Around;
}

function Entries({ id, title, say, list, around }: EntriesProps) {
  if (list.total === 0 && id === "open") return null;
  return (
    <Section id={id} anchor title={title} count={grouped(list.total)} say={say}>
      {list.entries.length === 0 ? (
        <Nothing what="No dead letters." say="Nothing was given up." mark="check" />
      ) : (
        <ul class="rows">
          {list.entries.map((entry) => (
            <EntryRow entry={entry} around={around} />
          ))}
        </ul>
      )}
      {list.next !== null && (
        <p class="pager">
          <span>
            {grouped(list.entries.length)} of {grouped(list.total)}
          </span>
          <LinkButton
            to={`/channels?${id}=${encodeURIComponent(list.next)}#${id}`}
            word="Next page"
          />
        </p>
      )}
    </Section>
  );
}

function EntryRow({ entry, around }: { readonly entry: OutboxEntry; readonly around: Around }) {
  const [first] = entry.notices;
  const [clause, rest] = clauses(withoutIcon(first?.headline ?? ""));
  const isDead = entry.state === "dead";
  const more = entry.notices.length - 1;
  return (
    <li class={`row ${first?.severity ?? "info"}`}>
      <Mark name={isDead ? "failed" : entry.state === "held" ? "silenced" : "retry"} />
      <div>
        <p class="say">
          <Name as="b" of={clause} />
          <Name of={rest} most={200} />
          {more > 0 && ` and ${grouped(more)} more`}
        </p>
        <p class="meta">
          <span>
            <Name of={entry.channel} most={60} />
            {isDead && <When before=", given up " at={entry.settled_at} now={around.now} />}
            {!isDead && `, ${entry.state === "owed" ? "queued" : entry.state}`}
            {entry.sends > 0 && ` after ${countOf(entry.sends, "send")}`}
          </span>
          {entry.error !== null && <Name as="span" of={entry.error} most={200} />}
          <span class="mono">{entry.id}</span>
        </p>
      </div>
      <div class="wait">
        <When before="next try " at={entry.until} now={around.now} />
      </div>
      <div class="side">
        <div class="acts">
          <Action
            around={around}
            action="outbox-retry"
            fields={{ id: entry.id }}
            word="Retry"
            of={`message ${entry.id}`}
          />
          {isDead && entry.error !== DROPPED && (
            <Action
              around={around}
              action="outbox-drop"
              fields={{ id: entry.id }}
              word="Drop"
              of={`message ${entry.id}`}
              look="stop"
            />
          )}
        </div>
      </div>
    </li>
  );
}
