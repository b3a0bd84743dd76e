import type { Log } from "../base/log.ts";
import { createHttpSource } from "../fetch/http.ts";
import type { Source } from "../fetch/source.ts";
import type { Setup } from "../model/index.ts";
import type { DaemonWeb } from "./daemon-web.ts";
import type { Metrics } from "./web/metrics.ts";

export interface SourceListeners {
  readonly log: Log;
  readonly metrics: () => Metrics | null;
  readonly web: () => DaemonWeb | null;
}

/** Opens the service of a setup over HTTP; `given` is used in its place if there is one. */
export function sourceOpener(
  given: Source | undefined,
  { log, metrics, web }: SourceListeners,
): (setup: Setup) => Source {
  return ({ service }) =>
    given ??
    createHttpSource({
      ...service,
      log: (message, fields) => log.debug(fields, message),
      warn: (message, fields) => log.warn(fields, message),
      onRequest: (endpoint, failure, ms) => {
        metrics()?.request(endpoint, failure);
        web()?.request(endpoint, failure, ms ?? null);
      },
    });
}
