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
    fault: /(late|stale) commit/,
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
      ASKS_NOBODY,
      {
        file: "ops/cluster-work.js",
        from: "holdsSending: member.suspends",
        to: "holdsSending: false",
      },
    ],
    onOutage: "suspend",
    kinds: ["silence", "cut"],
    fault: /told twice|messages were repeated/,
  },
  {
    name: "does not lock its leases until the end of a commit",
    patches: [
      {
        file: "store/postgres/member-access.js",
        from: "ORDER BY name FOR SHARE`",
        to: "ORDER BY name`",
      },
    ],
    onOutage: "continue",
    kinds: ["held commit"],
    fault: /(late|stale) commit/,
  },
  {
    name: "takes each commit for done whose answer is lost",
    patches: [
      {
        file: "store/postgres/connection.js",
        from: "doubt.isDone = row.seq === doubt.seq",
        to: "doubt.isDone = true",
      },
    ],
    onOutage: "suspend",
    kinds: ["unsent commit"],
    fault: /never told/,
  },
  {
    name: "sends for channels that are another daemon's",
    patches: [
      {
        file: "ops/cluster-part.js",
        from: "holding.held.has(channelLease(name))",
        to: "name !== null || holding",
      },
      {
        file: "store/postgres/member-access.js",
        from: "return access === null || access.held().has(channelLease(channel));",
        to: "return true;",
      },
      {
        file: "store/postgres/member-access.js",
        from: "await checkLeases(session, access, (name) => name === lease);",
        to: "await lease;",
      },
    ],
    onOutage: "continue",
    kinds: ["clock"],
    fault: /messages were repeated/,
  },
  {
    name: "does not hear that the others count it as dead",
    patches: [
      ASKS_NOBODY,
      {
        file: "cluster/member.js",
        from: "WHERE id = $1 AND NOT dead RETURNING",
        to: "WHERE id = $1 RETURNING",
      },
      {
        file: "store/postgres/member-access.js",
        from: "if (meant.every(([name, epoch]) => found.get(name) === epoch))",
        to: "if (found.size >= 0)",
      },
    ],
    onOutage: "suspend",
    kinds: ["pause"],
    fault: /(late|stale) commit/,
  },
];
