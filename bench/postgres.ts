import { cluster, takeover } from "./cluster.ts";
import type { FigureGroup } from "./figures.ts";
import { simulation } from "./simulation.ts";
import { stores } from "./stores.ts";

/** What `--store postgres` measures. */
export const POSTGRES: Readonly<Record<string, FigureGroup>> = {
  stores,
  takeover,
  cluster,
  simulation,
};
