import type { SelfEvent, SelfWords } from "./self-event.ts";

type StoreEvent = Extract<SelfEvent, { readonly about: "store_unwritable" | "store_back" }>;

/** How it is told that the database cannot be written, and that it can be again. */
export function wordsOfStore(event: StoreEvent): SelfWords {
  if (event.about === "store_back") {
    const lost = ["What is lost", "some samples: windows have a gap"] as const;
    return {
      good: true,
      before: "The database can be written again",
      name: "",
      after: "",
      facts: [
        ["What happens", "everything since then has been saved"],
        ...(event.lostSamples ? [lost] : []),
      ],
    };
  }
  const { before, happens, toDo } = event.suspends ? SUSPENDED : FROM_MEMORY;
  return {
    good: false,
    before: `Cannot write the database; ${before}`,
    name: "",
    after: "",
    facts: [
      ["Reason", event.reason],
      ["What happens", happens],
      ["What to do", toDo],
    ],
  };
}

const FROM_MEMORY = {
  before: "a restart would lose recent state",
  happens:
    "rules and notices continue from memory, which is saved once the database can be written",
  toDo: "check the database's server, or the disk's free space and the file; do not restart before that",
};

const SUSPENDED = {
  before: "watching and sending are suspended",
  happens:
    "nothing is sent, and soon nothing is decided, until it can be written (`on_outage: suspend`)",
  toDo: "check the database's server and the network",
};
