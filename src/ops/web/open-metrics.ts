import type { Setup } from "../../model/index.ts";
import type { Metrics } from "./metrics.ts";

/** What is not asked for costs nothing: its code is not even loaded. */
export async function openMetrics({ web }: Pick<Setup, "web">): Promise<Metrics | null> {
  return web === null ? null : (await import("./metrics.ts")).createMetrics();
}
