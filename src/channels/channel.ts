import type { ZodType } from "zod";
import type { Clock } from "../base/clock.ts";
import type { Message, Notice } from "../model/index.ts";

import type { DaemonPage } from "./text.ts";

/** The contract of a channel kind: settings, rendering and sending in one file. */
export interface ChannelKind<Settings = unknown> {
  /** The word in `channels: {NAME: {kind: …}}`. */
  readonly kind: string;
  /** Without the key `kind`. Secrets are `Secret`; unknown keys are refused. */
  readonly settings: ZodType<Settings>;
  /** Programs read it: its texts stay in UTC unless the channel itself has a time zone. */
  readonly forPrograms?: true;
  open(settings: Settings, tools: ChannelTools): Channel;
}

export interface ChannelTools {
  /** Where a channel that prints prints; whole lines. */
  readonly print: (text: string) => void;
  /** Whether `print` leads to a terminal that shows colours. */
  readonly colours: boolean;
  /** The daemon's page as it is reached at this moment; null, or absent: there is none. */
  readonly page?: () => DaemonPage | null;
  /** The HTTP client of a channel, closed by its owner; absent: the channel makes its own. */
  readonly client?: HttpClient;
  /** The clock for timestamps in signatures; absent: the system's. */
  readonly clock?: Clock;
}

export interface Channel {
  /** People read it: notices that are queued within a short time go as one message. */
  readonly digests?: true;
  /** What its receiver takes of such a message; absent: all that there is to say. */
  readonly room?: Room;
  /** Milliseconds that its receiver wants to have between two sends. */
  readonly gapMs?: number;
  /** The body of a message, frozen before the first send. Pure. */
  render(notice: Notice): string;
  /** Sends a frozen message; never rejects and never names a secret. */
  send(message: Message, signal: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
}

/** How much a message of many notices may hold beside its first line. */
export interface Room {
  /** So many fields. */
  readonly fields: number;
  /** For title, note and fields together, in UTF-16 units before escaping, with three more for each field. */
  readonly characters: number;
}

/** The channel says what its trouble is; the delivery decides what follows. */
export type Outcome =
  /** `note`: what went wrong all the same, such as one of several recipients. */
  | { readonly status: "sent"; readonly note?: string }
  /** Passing trouble. `afterMs`: what the receiver asked for. */
  | { readonly status: "retry"; readonly reason: string; readonly afterMs?: number }
  /** The channel itself refuses (401, 403, 404, 410): everything waits. */
  | { readonly status: "parked"; readonly reason: string }
  /** This message can never be delivered. */
  | { readonly status: "dead"; readonly reason: string };

export interface HttpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HttpQuestion {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The most that is read of the answer. */
  readonly limitBytes: number;
}

export interface HttpAnswer {
  readonly status: number;
  /** The first 4 kB of the body, or as much as was asked for. */
  readonly body: string;
  /** The wait that Retry-After asks for, in milliseconds. */
  readonly retryAfterMs: number | null;
}

export interface HttpClient {
  /**
   * Posts once, following no redirect. Rejects when no answer came, when the time limit is over
   * or `signal` aborts; such an error may name the URL and must not be shown.
   */
  post(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>;
  /** Asks once, under the same terms. */
  get(question: HttpQuestion, signal: AbortSignal): Promise<HttpAnswer>;
  close(): Promise<void>;
}
