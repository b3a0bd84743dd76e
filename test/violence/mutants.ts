import type { Patch } from "./build.ts";
import type { OnOutage } from "./daemons.ts";
import type { EventKind } from "./events.ts";

/** The program with a part of the protocol taken out, which the campaign must notice. */
export interface Mutant {
  readonly name: string;
  readonly patches: readonly Patch[];
  readonly onOutage: OnOutage;
  /** What brings it to light. */
  readonly kinds: readonly EventKind[];
  /** What is said of it. */
  readonly fault: RegExp;
}

const ASKS_NOBODY: Patch = {
  file: "cluster/member.js",
  from: "    async mayWork() {\n",
  to: "    async mayWork() {\n        return;\n",
};

export const MUTANTS: readonly Mutant[] = [
  {
    name: "commits without a look at its leases",
    patches: [
      ASKS_NOBODY,
      {
        file: "store/postgres/member-access.js",
        from: "if (meant.every(([name, epoch]) => found.get(name) === epoch))",
        to: "if (found.size >= 0)",
      },
    ],
    onOutage: "continue",
    kinds: ["pause"],
    fault: /stale commit/,
  },
  {
    name: "does a commit again whose answer was lost",
    patches: [
      {
        file: "store/postgres/connection.js",
        from: "doubt.isDone = row.seq === doubt.seq",
        to: "doubt.isDone = false",
      },
    ],
    onOutage: "suspend",
    kinds: ["lost commit"],
    fault: /doubled notice|told twice|gap or double/,
  },
  {
    name: "sends what it could not write down, where it must not",
    patches: [
      {
        file: "ops/cluster-work.js",
        from: "holdsSending: member.suspends",
        to: "holdsSending: false",
      },
    ],
    onOutage: "suspend",
    kinds: ["silence", "cut"],
    fault: /told twice/,
  },
];
