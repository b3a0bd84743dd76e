import type { NoticeList } from "../../api/schemas/history.ts";
import type { Around } from "../context.ts";
import { Head, LinkButton, Pager } from "../parts/blocks.tsx";
import { Layout } from "../parts/layout.tsx";
import { Nothing } from "./empty.tsx";
import { NoticeLine } from "./notice-line.tsx";

/** What is looked for, as it stands in the address. */
export interface NoticeFilter {
  readonly rule: string;
  readonly channel: string;
  readonly severity: string;
  readonly kind: string;
  readonly q: string;
}

interface NoticesProps {
  readonly around: Around;
  readonly notices: NoticeList;
  readonly filter: NoticeFilter;
  readonly channels: readonly string[];
  readonly cursor: string | null;
}

const KINDS = [
  "fired",
  "worse",
  "reminder",
  "resolved",
  "changed",
  "no_data",
  "data_back",
  "flapping",
  "steady",
  "started",
  "baseline",
  "rule_removed",
  "source_down",
  "source_up",
  "self",
  "report",
];

/** What people were told in the last seven days, and what became of each notice. */
export function NoticesPage({ around, notices, filter, channels, cursor }: NoticesProps) {
  const asked = Object.entries(filter).filter(([, value]) => value !== "");
  const query = (more: Readonly<Record<string, string>>): string =>
    `/notices?${new URLSearchParams({ ...Object.fromEntries(asked), ...more }).toString()}`;
  return (
    <Layout around={around} current="/notices" title="Notices">
      <Head title="Notices" say="the last seven days, the newest first" />
      <form class="filter" action="/notices" aria-label="Filter">
        <Field name="q" label="Text" value={filter.q} />
        <Field name="rule" label="Rule" value={filter.rule} />
        <Select name="channel" label="Channel" value={filter.channel} values={channels} />
        <Select
          name="severity"
          label="Severity"
          value={filter.severity}
          values={["critical", "warning", "info"]}
        />
        <Select name="kind" label="Kind" value={filter.kind} values={KINDS} />
        <button type="submit">Filter</button>
        {asked.length > 0 && <LinkButton to="/notices" word="Clear" />}
      </form>
      {notices.notices.length === 0 ? (
        asked.length === 0 ? (
          <Nothing
            what="No notices in the last 7 days."
            say="Nothing fired, or nobody was to be told."
            mark="note"
          />
        ) : (
          <Nothing what="No notice matches." say="Leave a field empty to see more." mark="note">
            <a href="/notices">Clear the filter</a>
          </Nothing>
        )
      ) : (
        <div class="card pad" data-live="notices">
          <ol>
            {notices.notices.map((notice) => (
              <NoticeLine notice={notice} now={around.now} deliveries rule />
            ))}
          </ol>
        </div>
      )}
      <Pager
        first={cursor === null ? null : query({})}
        next={notices.next === null ? null : query({ after: notices.next })}
      />
    </Layout>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
}

function Field({ name, label, value }: FieldProps) {
  return (
    <div>
      <label for={`f-${name}`}>{label}</label>
      <input id={`f-${name}`} name={name} value={value} maxlength={200} autocomplete="off" />
    </div>
  );
}

function Select({
  name,
  label,
  value,
  values,
}: FieldProps & { readonly values: readonly string[] }) {
  return (
    <div>
      <label for={`f-${name}`}>{label}</label>
      <select id={`f-${name}`} name={name}>
        <option value="">all</option>
        {values.map((one) => (
          <option value={one} {...(one === value ? { selected: true } : {})}>
            {one.replaceAll("_", " ")}
          </option>
        ))}
      </select>
    </div>
  );
}
