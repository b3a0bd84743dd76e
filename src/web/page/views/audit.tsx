import type { AuditList } from "../../api/schemas/operations.ts";
import type { Around } from "../context.ts";
import { alertPath, said } from "../format/words.ts";
import { Event, Head, Name, Pager } from "../parts/blocks.tsx";
import { Layout } from "../parts/layout.tsx";
import type { MarkName } from "../sprite.tsx";
import { Nothing } from "./empty.tsx";

interface AuditProps {
  readonly around: Around;
  readonly audit: AuditList;
  readonly cursor: string | null;
}

/** What was done by whom, on the page, over the API and by commands. */
export function AuditPage({ around, audit, cursor }: AuditProps) {
  return (
    <Layout around={around} current="/audit" title="Audit">
      <Head
        title="What was done"
        say={
          <>
            by whom, on this page, over the API and by commands;{" "}
            <span class="mono">tickwatch audit</span> shows the same
          </>
        }
      />
      {audit.entries.length === 0 ? (
        <Nothing
          what="Nothing was done yet."
          say="Acknowledgements, silences and retries stand here."
          mark="acked"
        />
      ) : (
        <div class="card pad" data-live="audit">
          <ol>
            {audit.entries.map((entry) => (
              <Event at={entry.at} now={around.now} mark={markOfAction(entry.action)}>
                <p>
                  <Name as="b" of={entry.by} most={60} />
                  {": "}
                  {entry.rule !== null && entry.subject !== null ? (
                    <a class="plain" href={alertPath({ rule: entry.rule, subject: entry.subject })}>
                      <Name of={entry.about} most={300} />
                    </a>
                  ) : (
                    <Name of={entry.about} most={300} />
                  )}
                  {said(entry.comment)}
                </p>
                <p class="meta">
                  <span>{entry.action}</span>
                  <span>{VIA[entry.via]}</span>
                </p>
              </Event>
            ))}
          </ol>
        </div>
      )}
      <Pager
        first={cursor === null ? null : "/audit"}
        next={audit.next === null ? null : `/audit?after=${encodeURIComponent(audit.next)}`}
      />
    </Layout>
  );
}

function markOfAction(action: string): { readonly name: MarkName; readonly label: string } {
  return { name: action.startsWith("silence") ? "silenced" : "acked", label: action };
}

const VIA = {
  command: "by a command",
  page: "on the page",
  api: "over the API",
  chat: "in a chat",
} as const;
