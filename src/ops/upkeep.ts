import type { Clock } from "../base/clock.ts";
import { HOUR } from "../base/duration.ts";
import type { Log } from "../base/log.ts";
import type { Source } from "../fetch/source.ts";
import type { Setup } from "../model/index.ts";
import type { Store } from "../store/store.ts";

/** Deletes once an hour what is older than `retentionMs` says then; returns the way to stop. */
export function startPruning(
  store: Store,
  clock: Clock,
  retentionMs: () => number,
  log: Log,
): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let cancel = (): void => {};
  const arm = (): void => {
    cancel = clock.after(HOUR, () => {
      arm();
      running = prune();
    });
  };
  const prune = async (): Promise<void> => {
    try {
      const rows = await store.prune(clock.now() - retentionMs());
      log.debug({ rows }, "pruned");
    } catch (error) {
      log.error({ err: error }, "pruning failed");
    }
  };
  arm();
  return async () => {
    cancel();
    await running;
  };
}

/** A service that is down is no reason not to start; a wrong key is worth one clear line. */
export async function checkKey(source: Source, setup: Setup, log: Log): Promise<void> {
  if (setup.service.baseUrl === null) {
    log.info("the API key is not checked: only the service at base_url can check it");
    return;
  }
  const verdict = await source.verify(AbortSignal.timeout(setup.service.timeoutMs));
  if (verdict === "valid") log.info("the service accepts the API key");
  else if (verdict === "invalid") {
    log.error("the service rejects the API key: nothing can be watched until it is right");
  } else log.warn({ detail: verdict.detail }, "the API key could not be checked");
}
