import { once } from "node:events";
import { type AddressInfo, createServer, connect as dial, type Socket } from "node:net";

/**
 * What becomes of a COMMIT on its way: `lost` gets there, and the connection breaks before its answer is back; of
 * `unsent` nothing gets there; `held` waits, as all that is sent after it does, and gets there with `mend`.
 */
export type CommitFate = "lost" | "unsent" | "held";

/** A way to a server that a test cuts, mends and leads elsewhere. */
export interface Relay {
  readonly port: number;
  /** Connections from now on lead to that port of this machine. */
  lead(port: number): void;
  /** Every connection breaks, and new ones do at once. */
  cut(): void;
  mend(): void;
  /** It is cut when that is sent, which does not arrive; resolves then. */
  cutAt(text: string): Promise<void>;
  /** Nothing that is sent arrives, in either direction, and no connection breaks; until `mend`, which breaks them. */
  swallow(): void;
  /** The next commit of a change has that fate; resolves once it has come to it. */
  spoil(fate: CommitFate): Promise<void>;
  /** No commit is to have a fate any more. */
  spare(): void;
  close(): Promise<void>;
}

/** What every transaction begins with that changes anything; reading ends with COMMIT as well. */
const WRITES = "UPDATE writers SET seq";

interface Spoiling {
  readonly fate: CommitFate;
  done(): void;
}

/** A simple query of the protocol: its type, its length, its text. */
const COMMIT = Buffer.from("Q\0\0\0\x0bCOMMIT\0", "latin1");

/** Leads from a port of `host` to that port of loopback. */
export async function startRelay(target: number, host = "127.0.0.1"): Promise<Relay> {
  const sockets = new Set<Socket>();
  let leadsTo = target;
  let way: "open" | "cut" | "swallowing" | "holding" = "open";
  let spoiling: Spoiling | null = null;
  let cutting: { readonly text: string; done(): void } | null = null;
  /** What waits, in the order in which it was sent. */
  let held: (() => void)[] = [];

  const breakAll = (): void => {
    for (const one of sockets) one.destroy();
  };
  const listener = createServer((near) => {
    near.on("error", () => {});
    if (way === "cut") return void near.destroy();
    const far = dial(leadsTo, "127.0.0.1");
    for (const one of [near, far]) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on("error", () => {});
      one.on("close", () => {
        sockets.delete(one);
        near.destroy();
        far.destroy();
      });
    }
    let lost: Spoiling | null = null;
    let hasWritten = false;
    near.on("data", (sent: Buffer) => {
      if (way === "swallowing") return;
      if (cutting !== null && sent.includes(cutting.text)) {
        const its = cutting;
        cutting = null;
        way = "cut";
        breakAll();
        return its.done();
      }
      hasWritten ||= sent.includes(WRITES);
      const isCommit = sent.equals(COMMIT);
      const its = isCommit && hasWritten ? spoiling : null;
      if (isCommit) hasWritten = false;
      if (its !== null) spoiling = null;
      if (its?.fate === "unsent") {
        near.destroy();
        return its.done();
      }
      if (its?.fate === "held") {
        way = "holding";
        its.done();
      } else lost ??= its;
      if (way === "holding") held.push(() => far.write(sent));
      else far.write(sent);
    });
    far.on("data", (sent: Buffer) => {
      if (way === "swallowing") return;
      if (way === "holding") return void held.push(() => near.write(sent));
      if (lost === null) return void near.write(sent);
      near.destroy();
      lost.done();
    });
  });
  listener.listen(0, host);
  await once(listener, "listening");
  return {
    port: (listener.address() as AddressInfo).port,
    lead(port) {
      leadsTo = port;
    },
    cut() {
      way = "cut";
      breakAll();
    },
    mend() {
      if (way === "swallowing") breakAll();
      way = "open";
      for (const send of held) send();
      held = [];
    },
    cutAt: (text) =>
      new Promise((done) => {
        cutting = { text, done };
      }),
    swallow() {
      way = "swallowing";
    },
    spoil: (fate) =>
      new Promise((done) => {
        spoiling = { fate, done };
      }),
    spare() {
      spoiling = null;
    },
    async close() {
      const closed = once(listener, "close");
      listener.close();
      breakAll();
      await closed;
    },
  };
}
