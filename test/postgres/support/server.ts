import { describe } from "vitest";
import { WHOLE } from "../../support/tier.ts";
import { hasPostgres } from "./processes.ts";

export { type Server, startServer, unprivileged } from "./processes.ts";

const NEEDED = process.env.CI_PEERS === "1";

/** `describe` for tests of the whole pass with a real server; without its programs they say that they were skipped. */
export const describeWhole = describeOf(WHOLE);

function describeOf(isInPass: boolean): typeof describe | typeof describe.skip {
  if (isInPass && !hasPostgres() && !NEEDED) {
    process.stderr.write("skipped: PostgreSQL is missing (apt-get install postgresql)\n");
  }
  return isInPass && (hasPostgres() || NEEDED) ? describe : describe.skip;
}
