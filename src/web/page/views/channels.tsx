import type {
  Channel,
  ChannelList,
  OutboxEntry,
  OutboxList,
  SilenceList,
} from "../../api/schemas/operations.ts";
import { clauses, cut, grouped, withoutIcon } from "../format/words.ts";
import type { Around } from "../parts/around.ts";
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
      <div class="verdict">
        <div data-live="h1">
          <h1>{channelWords(channels)}</h1>
          <p class="dim">
            {open.total === 0 ? "Nothing is queued" : `${grouped(open.total)} queued`},{" "}
            {dead.total === 0
              ? "no dead letters"
              : dead.total === 1
                ? "1 dead letter"
                : `${grouped(dead.total)} dead letters`}
            ,{" "}
            {silences.silences.length === 0
              ? "no silence"
              : silences.silences.length === 1
                ? "1 silence"
                : `${grouped(silences.silences.length)} silences`}
          </p>
        </div>
      </div>
      <section class="sec" id="channels" aria-labelledby="h-channels">
        <header>
          <h2 id="h-channels">Outbox and channels</h2>
          <p>what is queued, and for whom</p>
        </header>
        {channels.channels.length === 0 ? (
          <Nothing
            what="No channels."
            say="Name some under channels: in the configuration, and rules that notify them."
          />
        ) : (
          <div class="scroll" tabindex={0} role="group" aria-label="Channels, as a table">
            <table class="tbl std">
              <thead>
                <tr>
                  <th scope="col">Channel</th>
                  <th scope="col">State</th>
                  <th scope="col" class="num">
                    Queued
                  </th>
                  <th scope="col" class="num">
                    Held back
                  </th>
                  <th scope="col" class="num">
                    Dead
                  </th>
                  <th scope="col">Last answer</th>
                  <th scope="col">Actions</th>
                </tr>
              </thead>
              <tbody data-live="channels">
                {channels.channels.map((channel) => (
                  <ChannelRow channel={channel} around={around} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
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
        <bdi>{cut(channel.name, 60)}</bdi> <span class="dim">{channel.kind}</span>
      </th>
      <td>
        <span class="st">
          <Mark name={mark} tone={tone} />
          {bad ? <b>{word}</b> : word}
          {bad && channel.since !== null && (
            <>
              for <Since at={channel.since} now={around.now} />
            </>
          )}
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
          <bdi>{cut(channel.reason, 120)}</bdi>
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
              viewer={around.viewer}
              action="outbox-retry"
              back={around.here}
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
            viewer={around.viewer}
            action="send-test"
            back={around.here}
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
    <section class="sec" id={id} aria-labelledby={`h-${id}`}>
      <header>
        <h2 id={`h-${id}`}>
          {title} <span class="cnt">{grouped(list.total)}</span>
        </h2>
        <p>{say}</p>
      </header>
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
          <a class="btn" href={`/channels?${id}=${encodeURIComponent(list.next)}#${id}`}>
            Next page
          </a>
        </p>
      )}
    </section>
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
          <b>
            <bdi>{cut(clause)}</bdi>
          </b>
          <bdi>{cut(rest, 200)}</bdi>
          {more > 0 && ` and ${grouped(more)} more`}
        </p>
        <p class="meta">
          <span>
            <bdi>{cut(entry.channel, 60)}</bdi>
            {isDead && entry.settled_at !== null && (
              <>
                , given up <When at={entry.settled_at} now={around.now} />
              </>
            )}
            {!isDead && `, ${entry.state === "owed" ? "queued" : entry.state}`}
            {entry.sends > 0 &&
              ` after ${entry.sends === 1 ? "1 send" : `${grouped(entry.sends)} sends`}`}
          </span>
          {entry.error !== null && (
            <span>
              <bdi>{cut(entry.error, 200)}</bdi>
            </span>
          )}
          <span class="mono">{entry.id}</span>
        </p>
      </div>
      <div class="wait">
        {entry.until !== null && (
          <>
            next try <When at={entry.until} now={around.now} />
          </>
        )}
      </div>
      <div class="side">
        <div class="acts">
          <Action
            viewer={around.viewer}
            action="outbox-retry"
            back={around.here}
            fields={{ id: entry.id }}
            word="Retry"
            of={`message ${entry.id}`}
          />
          {isDead && entry.error !== DROPPED && (
            <Action
              viewer={around.viewer}
              action="outbox-drop"
              back={around.here}
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
