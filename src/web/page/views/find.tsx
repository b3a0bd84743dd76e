import type { AlertList } from "../../api/schemas/alerts.ts";
import type { RuleList } from "../../api/schemas/rules.ts";
import type { Around } from "../context.ts";
import { countOf, cut, grouped, rulePath } from "../format/words.ts";
import { AlertTable } from "../parts/alert-table.tsx";
import { Head, Name, Pager, Section } from "../parts/blocks.tsx";
import { Layout } from "../parts/layout.tsx";
import { Nothing } from "./empty.tsx";

interface FindProps {
  readonly around: Around;
  /** What is looked for; empty: the alerts that are so. */
  readonly words: string;
  readonly some: { readonly state: string; readonly severity?: string; readonly acked?: string };
  readonly alerts: AlertList;
  readonly rules: RuleList | null;
  readonly cursor: string | null;
}

const STATES: Readonly<Record<string, string>> = {
  firing: "Firing",
  waiting: "Pending and recovering",
  pending: "Pending",
  recovering: "Recovering",
  no_data: "No data",
  held_back: "Held back",
  ok: "Ok",
};

/** `Firing, critical`, `Firing, not acknowledged`. */
function titleOf({ state, severity, acked }: FindProps["some"]): string {
  const more = acked === undefined ? "" : acked === "no" ? ", not acknowledged" : ", acknowledged";
  return `${STATES[state] ?? "Alerts"}${severity === undefined ? "" : `, ${severity}`}${more}`;
}

/** Alerts and rules by words, or all alerts of one state. */
export function FindPage({ around, words, some, alerts, rules, cursor }: FindProps) {
  const found = rules?.rules ?? [];
  const title = words === "" ? titleOf(some) : `“${cut(words, 60)}”`;
  const query = (more: Readonly<Record<string, string>>): string =>
    `/find?${new URLSearchParams({ ...(words === "" ? some : { q: words }), ...more }).toString()}`;
  return (
    <Layout around={around} current="" title={title}>
      <Head
        title={<bdi>{title}</bdi>}
        say={`${countOf(alerts.total, "alert")}${found.length === 0 ? "" : `, ${countOf(found.length, "rule")}`}`}
      />
      {found.length > 0 && (
        <Section id="rules" title="Rules">
          <ul class="rows">
            {found.map((rule) => (
              <li class="row">
                <span />
                <div>
                  <p class="say">
                    <a class="mono" href={rulePath(rule.name)}>
                      <Name as="b" of={rule.name} />
                    </a>
                  </p>
                  <Name as="p" class="meta" of={rule.sentence} most={240} />
                </div>
                <span />
                <div class="side dim">
                  {rule.counts.firing + rule.counts.recovering} of {grouped(rule.subjects)} firing
                </div>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <section class="sec" aria-labelledby="h-alerts" id="found">
        <header>
          <h2 id="h-alerts">Alerts</h2>
        </header>
        {alerts.alerts.length === 0 ? (
          <Nothing
            what={words === "" ? "None." : `Nothing matches “${cut(words, 60)}”.`}
            say="Words are looked for in the names of rules and subjects, and in their keys."
          >
            <a href="/">Back to the overview</a>
          </Nothing>
        ) : (
          <AlertTable
            alerts={alerts.alerts}
            caption={`Alerts: ${title}`}
            rules
            allOk={false}
            now={around.now}
          />
        )}
        <Pager
          first={cursor === null ? null : query({})}
          next={alerts.next === null ? null : query({ after: alerts.next })}
          words={["First page", "Next page"]}
        />
      </section>
    </Layout>
  );
}
