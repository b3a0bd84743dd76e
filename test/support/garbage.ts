import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Collects what nothing holds, as it may happen at any time. */
export function collectGarbage(): void {
  setFlagsFromString("--expose_gc");
  const gc = runInNewContext("gc") as () => void;
  gc();
}
