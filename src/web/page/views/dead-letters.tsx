import type { Channel } from "../../api/schemas/operations.ts";
import type { Around } from "../context.ts";
import { countOf, cut } from "../format/words.ts";
import { Crumb, Name } from "../parts/blocks.tsx";
import { Action } from "../parts/forms.tsx";
import { Layout } from "../parts/layout.tsx";
import { Nothing } from "./empty.tsx";

interface DeadLettersProps {
  readonly around: Around;
  readonly channel: Channel;
}

/** What is done to all dead letters of a channel is asked twice: a drop of many cannot be taken back at once. */
export function DeadLettersPage({ around, channel }: DeadLettersProps) {
  const { name, dead } = channel;
  const back = "/channels#dead";
  return (
    <Layout around={around} current="/channels" title={`Dead letters of ${cut(name, 60)}`}>
      <Crumb>
        <a href={back}>Channels</a>
      </Crumb>
      <section class="card ask" aria-labelledby="h-dead-letters">
        <h1 id="h-dead-letters">
          {countOf(dead, "dead letter")} of <Name of={name} most={60} />
        </h1>
        {dead === 0 ? (
          <Nothing
            what="Nothing to do."
            say="No message of this channel was given up."
            mark="check"
          />
        ) : (
          <>
            <p>
              Retry sends them again, the oldest first; people may get old news. Those that were
              dropped stay as they are.
            </p>
            <Action
              around={around}
              action="outbox-retry"
              back="/channels"
              fields={{ channel: name, dead: "true" }}
              word="Retry all"
              of={`of ${name}`}
              look="go"
            />
            <p>
              Drop gives them up for good: a retry of all leaves them alone. One of them can still
              be retried by itself.
            </p>
            <Action
              around={around}
              action="outbox-drop"
              back="/channels"
              fields={{ channel: name }}
              word="Drop all"
              of={`of ${name}`}
              look="stop"
            />
          </>
        )}
        <p>
          <a href={back}>Back to the channels</a>
        </p>
      </section>
    </Layout>
  );
}
