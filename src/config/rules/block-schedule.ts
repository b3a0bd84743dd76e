import { errorAt, type Path, type Report } from "../../rules/finding.ts";
import { type Addresses, needsAddress } from "../settings/addresses.ts";
import type { Watch } from "./watch-key.ts";

/** Checks that a rule with `schedule: block` has blocks: of a chain that it watches, read from a node. */
export function checkBlocks(
  { kind }: Watch,
  addresses: Addresses | undefined,
  path: Path,
  report: Report,
): void {
  if (addresses?.has("rpc") === false) {
    report(needsAddress("the schedule block", { base: "rpc" }, path));
  } else if (kind.targets.key === "endpoints") {
    const message = "a rule on endpoints watches no chain, and so it has no blocks";
    report(errorAt("bad-schedule", path, message, { expected: "a duration such as 1m" }));
  }
}
