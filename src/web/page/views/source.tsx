import type { Endpoint, SourceView } from "../../api/schemas/operations.ts";
import type { Around } from "../context.ts";
import { spanText } from "../format/times.ts";
import { grouped } from "../format/words.ts";
import { Head, Name, Section, Table } from "../parts/blocks.tsx";
import { Layout } from "../parts/layout.tsx";
import { Ago, Since, When } from "../parts/time.tsx";
import { DistanceBar } from "../pictures/bars.tsx";
import { Mark } from "../sprite.tsx";
import { Nothing } from "./empty.tsx";

const HOUR_SECONDS = 3_600;
const COLUMNS = [
  "Endpoint",
  "State",
  "Last answer",
  "Latency",
  "Failed, 5 min",
  "Requests an hour",
  "Newest record",
];

/** Each endpoint's last answer, its failures, and the requests beside the limit that the daemon keeps. */
export function SourcePage({
  around,
  source,
}: {
  readonly around: Around;
  readonly source: SourceView;
}) {
  const limit = source.requests_per_second * HOUR_SECONDS;
  const failing = source.endpoints.filter(({ state }) => state === "failing").length;
  return (
    <Layout around={around} current="/source" title="Source">
      <Head
        title={
          source.down.length === 0 && failing === 0
            ? "The source answers"
            : failing > 1
              ? `${failing} of ${source.endpoints.length} endpoints do not answer`
              : "Not all of the source answers"
        }
        say={
          <>
            {grouped(source.requests_1h)} requests in the last hour, at most {grouped(limit)} by{" "}
            <span class="mono">requests_per_second: {source.requests_per_second}</span>
          </>
        }
      />
      {source.down.length > 0 && (
        <ul class="rows">
          {source.down.map(({ what, since }) => (
            <li class="row warning">
              <Mark name="broken" />
              <div>
                <p class="say">
                  <Name as="b" of={what} most={200} /> does not answer
                </p>
              </div>
              <span />
              <div class="side dim">
                <span>
                  <Since at={since} now={around.now} />, since <When at={since} now={around.now} />
                </span>
              </div>
            </li>
          ))}
        </ul>
      )}
      <Section id="endpoints" title="Endpoints" say="each one’s last answer">
        {source.endpoints.length === 0 ? (
          <Nothing what="Nothing was asked yet." say="The first round is under way." />
        ) : (
          <Table
            label="Endpoints"
            columns={COLUMNS}
            numbers={["Latency", "Failed, 5 min"]}
            live="endpoints"
          >
            {source.endpoints.map((endpoint) => (
              <EndpointRow endpoint={endpoint} limit={limit} now={around.now} />
            ))}
          </Table>
        )}
      </Section>
    </Layout>
  );
}

/** `8 ms`, `1.2 s`. */
function latencyText(ms: number): string {
  if (ms < 1) return "under 1 ms";
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

interface EndpointProps {
  readonly endpoint: Endpoint;
  readonly limit: number;
  readonly now: number;
}

function EndpointRow({ endpoint, limit, now }: EndpointProps) {
  const { state, failure } = endpoint;
  return (
    <tr class={state === "failing" ? "warning" : ""}>
      <th scope="row" class="mono">
        {endpoint.name}
      </th>
      <td>
        <span class="st">
          {state === "failing" ? (
            <>
              <Mark name="broken" tone="warning" />
              <b>failing</b>
            </>
          ) : (
            <>
              <Mark name={state === "up" ? "check" : "ok"} tone={state === "up" ? "good" : ""} />
              {state}
            </>
          )}
        </span>
        {failure !== null && (
          <span class="dim">
            <When at={failure.at} now={now} /> <Name of={failure.reason} most={120} />
          </span>
        )}
      </td>
      <td data-of="Last answer">
        {endpoint.last_answer === null ? "-" : <Ago at={endpoint.last_answer} now={now} />}
      </td>
      <td class="num" data-of="Latency">
        {endpoint.latency_ms === null ? "-" : latencyText(endpoint.latency_ms)}
      </td>
      <td class={endpoint.failed_5m > 0 ? "num val" : "num"} data-of="Failed, 5 min">
        {grouped(endpoint.failed_5m)}
      </td>
      <td data-of="Requests an hour">
        <div class="dist">
          <DistanceBar severity="warning" ratio={limit === 0 ? 0 : endpoint.requests_1h / limit} />
          <span>
            {grouped(endpoint.requests_1h)} of {grouped(limit)}
          </span>
        </div>
      </td>
      <td class="dim" data-of="Newest record">
        {endpoint.lags
          .slice(0, 4)
          .map(({ chain, seconds }) => `${chain} ${spanText(seconds * 1_000)} old`)
          .join(", ")}
      </td>
    </tr>
  );
}
