import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Secret } from "../base/text.ts";

/** What the heartbeat needs of an HTTP client. */
export interface HeartbeatClient {
  /** Asks once, following no redirect, within a time limit; rejects without an answer. */
  get(
    question: {
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly limitBytes: number;
    },
    signal: AbortSignal,
  ): Promise<{ readonly status: number }>;
}

export interface HeartbeatParts {
  readonly client: HeartbeatClient;
  readonly url: Secret;
  /** Milliseconds of real time between two beats. */
  readonly everyMs: number;
  /** Real time. */
  readonly clock: Clock;
  readonly log: Log;
  /** Why no beat may be sent: what would be missed if nobody looked; null: all is well. */
  readonly trouble: () => string | null;
  /** Whether it is this daemon that sends it at the moment; absent: it is. */
  readonly isOurs?: () => boolean;
}

export interface Heartbeat {
  stop(): Promise<void>;
}

/**
 * Asks a monitor's address again and again for as long as the daemon really works: a monitor that
 * hears nothing tells people, whatever it was that died.
 */
export function startHeartbeat(parts: HeartbeatParts): Heartbeat {
  const { everyMs, clock, log, trouble } = parts;
  const ending = new AbortController();
  let cancel = (): void => {};
  let running: Promise<void> = Promise.resolve();
  let silent = false;

  const beat = async (): Promise<void> => {
    if (parts.isOurs?.() === false) return;
    const why = trouble();
    if (why !== null) {
      if (!silent) log.warn({ why }, "no heartbeat is sent");
      silent = true;
      return;
    }
    silent = false;
    const problem = await ask(parts.client, parts.url, ending.signal);
    if (problem !== null && !ending.signal.aborted) {
      log.warn({ problem }, "the heartbeat failed");
    }
  };
  const arm = (): void => {
    cancel = clock.after(everyMs, () => {
      // From now on: beats that a slow monitor or a sleeping machine has delayed are not made up for.
      arm();
      running = beat();
    });
  };
  arm();

  return {
    async stop() {
      cancel();
      ending.abort();
      await running;
    },
  };
}

/** One GET without redirects; what went wrong without the address, which is a secret. */
async function ask(
  client: HeartbeatClient,
  url: Secret,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const headers = { "user-agent": "tickwatch" };
    const { status } = await client.get({ url: url.reveal(), headers, limitBytes: 1 }, signal);
    return status >= 200 && status < 300 ? null : `HTTP ${status}`;
  } catch {
    return "no answer";
  }
}
