import type { AuditList } from "../../api/schemas/operations.ts";
import { alertPath, cut } from "../format/words.ts";
import type { Around } from "../parts/around.ts";
import { Layout } from "../parts/layout.tsx";
import { When } from "../parts/time.tsx";
import { Mark } from "../sprite.tsx";
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
      <div class="verdict">
        <div>
          <h1>What was done</h1>
          <p class="dim">
            by whom, on this page, over the API and by commands;{" "}
            <span class="mono">tickwatch audit</span> shows the same
          </p>
        </div>
      </div>
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
              <li class="ev">
                <When at={entry.at} now={around.now} />
                <Mark
                  name={entry.action.startsWith("silence") ? "silenced" : "acked"}
                  label={entry.action}
                />
                <div>
                  <p>
                    <b>
                      <bdi>{cut(entry.by, 60)}</bdi>
                    </b>
                    {": "}
                    {entry.rule !== null && entry.subject !== null ? (
                      <a
                        class="plain"
                        href={alertPath({ rule: entry.rule, subject: entry.subject })}
                      >
                        <bdi>{cut(entry.about, 300)}</bdi>
                      </a>
                    ) : (
                      <bdi>{cut(entry.about, 300)}</bdi>
                    )}
                    {entry.comment !== null &&
                      entry.comment !== "" &&
                      `: “${cut(entry.comment, 200)}”`}
                  </p>
                  <p class="meta">
                    <span>{entry.action}</span>
                    <span>{VIA[entry.via]}</span>
                  </p>
                </div>
              </li>
            ))}
          </ol>
        </div>
      )}
      <p class="pager">
        {cursor === null ? (
          <span />
        ) : (
          <a class="btn" href="/audit">
            Newest
          </a>
        )}
        {audit.next !== null && (
          <a class="btn" href={`/audit?after=${encodeURIComponent(audit.next)}`}>
            Earlier
          </a>
        )}
      </p>
    </Layout>
  );
}

const VIA = {
  command: "by a command",
  page: "on the page",
  api: "over the API",
  chat: "in a chat",
} as const;
