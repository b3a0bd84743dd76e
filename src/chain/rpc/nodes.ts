import { chainName } from "../../base/chains.ts";
import { type ErrorKind, RpcError } from "./error-kind.ts";
import { chainIdOf, type RpcCall, type RpcNode, type RpcResult } from "./node.ts";

/** A node that is so far behind the best, in both, is not asked for the newest. */
const BEHIND_BLOCKS = 3;
const BEHIND_MS = 30_000;

/** The newest block of one node. */
export interface Head<Block> {
  readonly node: RpcNode;
  readonly value: Block;
}

/** Those that are not far behind the best, in their order. `time` is in epoch milliseconds. */
export function upToDate<Block extends { readonly number: number; readonly time: number }>(
  heads: readonly Head<Block>[],
): readonly Head<Block>[] {
  const best = Math.max(...heads.map(({ value }) => value.number));
  const newest = Math.max(...heads.map(({ value }) => value.time));
  return heads.filter(
    ({ value }) => best - value.number <= BEHIND_BLOCKS || newest - value.time <= BEHIND_MS,
  );
}

/** Told of what happens to nodes and of what is read, with constant messages and clean fields. */
export type ChainReporter = (
  level: "debug" | "info" | "warn",
  message: string,
  fields: Readonly<Record<string, string | number>>,
) => void;

interface NodesOptions {
  readonly chainId: number;
  /** In the order in which they are asked. */
  readonly nodes: readonly RpcNode[];
  readonly report: ChainReporter;
  /** So many nodes must tell the same where it is asked for (`inAgreement`); default: one is believed. */
  readonly agree?: number;
  /** Milliseconds of a clock that is never set back. */
  readonly now: () => number;
}

/** Why a node is not asked for a while. */
const RESTS: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  "rate_limited",
  "unauthorized",
  "unreachable",
  "malformed",
  "wrong_chain",
  "failed",
]);
/** What is of the question and not of the node: another one would say the same. */
const OF_THE_QUESTION: ReadonlySet<ErrorKind> = new Set<ErrorKind>(["reverted", "too_much"]);

/** A node that failed rests for so long, twice as long after each further failure. */
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 60_000;

interface NodeState {
  readonly node: RpcNode;
  /** Whether it has said that it is of this chain since it was last out of reach. */
  isVerified: boolean;
  failures: number;
  restUntil: number;
  lastKind: ErrorKind | null;
}

/** The nodes of one chain: the first that can answer is asked, the others in its place. */
export class Nodes {
  readonly chainId: number;
  readonly #states: readonly NodeState[];
  readonly #report: ChainReporter;
  readonly #agree: number;
  #disagreed = false;
  readonly #now: () => number;

  constructor({ chainId, nodes, report, now, agree = 1 }: NodesOptions) {
    this.#agree = agree;
    this.chainId = chainId;
    this.#report = report;
    this.#now = now;
    this.#states = nodes.map((node) => ({
      node,
      isVerified: false,
      failures: 0,
      restUntil: Number.NEGATIVE_INFINITY,
      lastKind: null,
    }));
  }

  get all(): readonly RpcNode[] {
    return this.#states.map(({ node }) => node);
  }

  /** What the nodes answered last: null for one that is fine or was not asked. */
  troubles(): readonly (ErrorKind | null)[] {
    return this.#states.map(({ failures, lastKind }) => (failures === 0 ? null : lastKind));
  }

  /**
   * Does work that one node must do as a whole, such as reading several things of one block: at the first
   * node that can, and anew at the next one where that one fails. Rejects with the RpcError of the last,
   * or with what is of the question (`reverted`, `too_much`) at once. `preferred`: those come first.
   */
  async use<T>(
    work: (node: RpcNode) => Promise<T>,
    preferred: (node: RpcNode) => boolean = () => true,
  ): Promise<T> {
    let last: RpcError | null = null;
    const turns = this.#inTurn();
    const inOrder = [
      ...turns.filter(({ node }) => preferred(node)),
      ...turns.filter(({ node }) => !preferred(node)),
    ];
    for (const state of inOrder) {
      try {
        return await this.#do(state, work);
      } catch (error) {
        if (!(error instanceof RpcError) || OF_THE_QUESTION.has(error.kind)) throw error;
        last = error;
      }
    }
    throw last ?? this.#nobody();
  }

  /**
   * Does work at as many nodes as must agree, and gives what came of it where that is the same for all. Rejects
   * with RpcError: of a node where too few answer, and with `no_block` where they do not agree.
   */
  async inAgreement<T>(
    work: (node: RpcNode) => Promise<T>,
    isSame: (one: T, other: T) => boolean,
  ): Promise<T> {
    if (this.#agree === 1) return this.use(work);
    const waiting = [...this.#inTurn()];
    const values: T[] = [];
    let last: RpcError | null = null;
    while (values.length < this.#agree) {
      const asked = waiting.splice(0, this.#agree - values.length);
      if (asked.length === 0) {
        const words = `${values.length} of ${this.#agree} nodes that must agree`;
        throw new RpcError("unreachable", last === null ? words : `${words}, ${last.message}`);
      }
      for (const result of await Promise.allSettled(asked.map((state) => this.#do(state, work)))) {
        if (result.status === "fulfilled") values.push(result.value);
        else if (result.reason instanceof RpcError) last = result.reason;
        else throw result.reason;
      }
    }
    const [first] = values;
    if (first === undefined) throw this.#nobody();
    const isAgreed = values.every((value) => isSame(first, value));
    if (!isAgreed && !this.#disagreed) {
      this.#report("warn", "the nodes disagree about the state", { chain: this.chainId });
    }
    this.#disagreed = !isAgreed;
    if (isAgreed) return first;
    throw new RpcError("no_block", "the nodes disagree about the state of a block");
  }

  /** The same work at every node that is not resting; what each gave that could. Rejects where none could. */
  async each<T>(
    work: (node: RpcNode) => Promise<T>,
  ): Promise<readonly { readonly node: RpcNode; readonly value: T }[]> {
    const results = await Promise.all(
      this.#inTurn().map(async (state) => {
        try {
          return { node: state.node, value: await this.#do(state, work) };
        } catch (error) {
          if (!(error instanceof RpcError)) throw error;
          return error;
        }
      }),
    );
    const good = results.flatMap((result) => (result instanceof RpcError ? [] : [result]));
    if (good.length > 0) return good;
    throw results.find((result) => result instanceof RpcError) ?? this.#nobody();
  }

  /** One call at the first node that answers it. */
  call(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.use((node) => node.call(method, params));
  }

  /** Several calls at one node; those that it cannot answer are told by their errors. */
  batch(calls: readonly RpcCall[]): Promise<readonly RpcResult[]> {
    return this.use((node) => node.batch(calls));
  }

  async close(): Promise<void> {
    await Promise.all(this.#states.map(({ node }) => node.close()));
  }

  /** Those that rest come last, the one first that has rested most: with none left, one is tried all the same. */
  #inTurn(): readonly NodeState[] {
    const now = this.#now();
    const awake = this.#states.filter(({ restUntil }) => restUntil <= now);
    if (awake.length > 0) return awake;
    return this.#states
      .filter(({ lastKind }) => lastKind !== "rate_limited")
      .toSorted((a, b) => a.restUntil - b.restUntil)
      .slice(0, 1);
  }

  async #do<T>(state: NodeState, work: (node: RpcNode) => Promise<T>): Promise<T> {
    try {
      if (!state.isVerified) await this.#verify(state);
      const done = await work(state.node);
      this.#answered(state);
      return done;
    } catch (error) {
      if (error instanceof RpcError && RESTS.has(error.kind)) this.#failed(state, error);
      throw error;
    }
  }

  #nobody(): RpcError {
    return new RpcError("unreachable", `no node of ${chainName(this.chainId)} answers`);
  }

  async #verify(state: NodeState): Promise<void> {
    const id = await chainIdOf(state.node);
    if (id !== this.chainId) {
      const wanted = chainName(this.chainId);
      const words = `${state.node.name} is of ${chainName(id)}, not of ${wanted}`;
      throw new RpcError("wrong_chain", words);
    }
    state.isVerified = true;
  }

  #answered(state: NodeState): void {
    if (state.failures > 0) {
      this.#report("info", "a node answers again", this.#fields(state));
    }
    state.failures = 0;
    state.lastKind = null;
  }

  #failed(state: NodeState, error: RpcError): void {
    const rest = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** Math.min(state.failures, 10));
    state.failures += 1;
    state.restUntil =
      this.#now() + Math.max(rest, Math.min(error.retryAfterMs ?? 0, LONGEST_REST_MS));
    if (error.kind === "unreachable") state.isVerified = false;
    if (state.lastKind !== error.kind) {
      const fields = { ...this.#fields(state), kind: error.kind, detail: error.message };
      this.#report("warn", "a node does not answer", fields);
    }
    state.lastKind = error.kind;
  }

  #fields({ node }: NodeState): Readonly<Record<string, string | number>> {
    return { chain: this.chainId, node: node.name };
  }
}
