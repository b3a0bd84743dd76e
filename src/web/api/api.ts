import type {
  AlertAction,
  Done,
  DropAction,
  RetryAction,
  SendTestAction,
  SilenceAction,
  SilenceEnd,
} from "./schemas/actions.ts";
import type { AlertDetail, AlertList } from "./schemas/alerts.ts";
import type { ProblemDetails } from "./schemas/common.ts";
import type { NoticeList, Samples, States, Timeline } from "./schemas/history.ts";
import type {
  AuditList,
  ChannelList,
  OutboxList,
  SilenceList,
  SourceView,
} from "./schemas/operations.ts";
import type { LiveEvent, Overview } from "./schemas/overview.ts";
import type {
  AlertQuery,
  AuditQuery,
  NoticeQuery,
  OneAlertQuery,
  OutboxQuery,
  RuleQuery,
  SamplesQuery,
  SilenceQuery,
  StatesQuery,
  TimelineQuery,
} from "./schemas/queries.ts";
import type { RuleDetail, RuleList } from "./schemas/rules.ts";

/**
 * What the API can answer and do: the routes under /api/v1 and the page are both made of this and of
 * nothing else. Null: there is no such thing. Throws ProblemError.
 */
export interface Api {
  overview(): Promise<Overview>;
  alerts(query: AlertQuery): Promise<AlertList>;
  alert(query: OneAlertQuery): Promise<AlertDetail | null>;
  rules(query: RuleQuery): Promise<RuleList>;
  rule(name: string): Promise<RuleDetail | null>;
  samples(query: SamplesQuery): Promise<Samples | null>;
  states(query: StatesQuery): Promise<States | null>;
  timeline(query: TimelineQuery): Promise<Timeline | null>;
  notices(query: NoticeQuery): Promise<NoticeList>;
  silences(query: SilenceQuery): Promise<SilenceList>;
  channels(): Promise<ChannelList>;
  outbox(query: OutboxQuery): Promise<OutboxList>;
  source(): Promise<SourceView>;
  audit(query: AuditQuery): Promise<AuditList>;
  readonly act: Actions;
  /** Calls back at most once a second while anything changes; returns the way to end that. */
  listen(onEvent: (event: LiveEvent) => void): () => void;
}

/** Who acts, for the audit and as the author where the request names none. */
export interface Actor {
  readonly by: string;
  readonly via: "page" | "api";
}

/** What can be done. Resolves once it is written down; the daemon carries it out within seconds. */
export interface Actions {
  ack(body: AlertAction, actor: Actor): Promise<Done>;
  unack(body: AlertAction, actor: Actor): Promise<Done>;
  rearm(body: AlertAction, actor: Actor): Promise<Done>;
  silence(body: SilenceAction, actor: Actor): Promise<Done>;
  endSilence(body: SilenceEnd, actor: Actor): Promise<Done>;
  retry(body: RetryAction, actor: Actor): Promise<Done>;
  drop(body: DropAction, actor: Actor): Promise<Done>;
  sendTest(body: SendTestAction, actor: Actor): Promise<Done>;
}

/** A request that is refused; its fields become the members of RFC 9457. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 409 | 413 | 415 | 429 | 503,
    readonly title: string,
    /** What is wrong and what to do, in one line. */
    readonly detail: string,
    readonly errors: readonly { readonly at: string; readonly problem: string }[] = [],
  ) {
    super(detail);
  }
}

export const PROBLEM_TYPE = "application/problem+json";

/** A refusal as RFC 9457 has it. */
export function problemResponse({ status, title, detail, errors }: ProblemError): Response {
  const body: ProblemDetails = {
    type: "about:blank",
    title,
    status,
    detail,
    ...(errors.length === 0 ? {} : { errors: [...errors] }),
  };
  return new Response(JSON.stringify(body), { status, headers: { "content-type": PROBLEM_TYPE } });
}
