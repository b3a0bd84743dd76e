import { randomUUID } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Channel } from "../channels/channel.ts";
import type { Notice } from "../model.ts";
import { retryWait } from "./retry.ts";

/** Without the store nothing may pile up: after so many sends a notice is given up. */
const MOST_SENDS = 6;

export interface AnnounceParts {
  readonly channels: ReadonlyMap<string, Channel>;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
}

/**
 * Sends a notice through channels without the store, for when that is what fails: best effort, some
 * tries each, never rejects. Aborting the signal ends it.
 */
export async function announce(
  notice: Notice,
  names: readonly string[],
  { channels, clock, log, random }: AnnounceParts,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      const channel = channels.get(name);
      if (channel === undefined) return;
      try {
        const body = channel.render(notice);
        const id = randomUUID().replaceAll("-", "").slice(0, 24);
        for (let attempts = 1; attempts <= MOST_SENDS && !signal.aborted; attempts += 1) {
          const message = { id, channel: name, notices: [notice.id], body, attempts };
          const outcome = await channel.send(message, signal);
          if (outcome.status === "sent") return;
          log.warn({ channel: name, reason: outcome.reason }, "a notice about the daemon waits");
          if (outcome.status !== "retry") return;
          await wait(clock, retryWait(attempts, outcome.afterMs ?? null, random), signal);
        }
      } catch (error) {
        log.error({ channel: name, err: error }, "a notice about the daemon was not sent");
      }
    }),
  );
}

function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const cancel = clock.at(clock.now() + ms, resolve);
    const end = (): void => {
      cancel();
      resolve();
    };
    signal.addEventListener("abort", end, { once: true });
  });
}
