import type { InnerCall } from "../codec/calls.ts";
import { bigQuantity, hexData } from "../codec/words.ts";
import { RpcError } from "../rpc/error-kind.ts";
import type { RpcCall, RpcNode, RpcResult } from "../rpc/node.ts";

/** One request to be sent, and what is made of its answer. Larger ones can be split in two. */
export interface Part extends RpcCall {
  /** Its parameters but the block, which comes after them. */
  readonly params: readonly unknown[];
  /** Throws RpcError where the answer of a node, by its name, is none. */
  take(answer: unknown, node: string): void;
  /** Null: it cannot be smaller. */
  halves(): readonly [Part, Part] | null;
  /** Whatever a node says of it is of this request alone. */
  readonly isOwn?: true;
  /** A request that failed by itself. */
  fail(error: RpcError): void;
}

/** A call that somebody wrote down, whose contract may do anything. */
export interface OwnRequest extends InnerCall {
  readonly resolve: (result: OwnResult) => void;
  readonly reject: (error: unknown) => void;
}

/** What such a call gave, as data, or what a node says of it in place of an answer. */
export type OwnResult = { readonly data: string } | { readonly refused: string };

/** What nodes say of a call that they refuse has words of their own. */
export function areSameResults(
  one: ReadonlyMap<OwnRequest, OwnResult>,
  other: ReadonlyMap<OwnRequest, OwnResult>,
): boolean {
  const dataIn = (result: OwnResult | undefined): string | null =>
    result !== undefined && "data" in result ? result.data : null;
  return [...one].every(([request, result]) => dataIn(result) === dataIn(other.get(request)));
}

export function ethCall(to: string, data: string): RpcCall {
  return { method: "eth_call", params: [{ to, data }] };
}

export function dataOf(answer: unknown, node: string): string {
  const data = hexData(answer);
  if (data !== null) return data;
  throw new RpcError("malformed", `${node}: a call's answer is not data`);
}

export function balancePart(account: string, held: Map<string, bigint>): Part {
  return {
    method: "eth_getBalance",
    params: [account],
    take: (answer, node) => {
      const balance = bigQuantity(answer);
      if (balance === null) throw new RpcError("malformed", `${node}: a balance is not a number`);
      held.set(account, balance);
    },
    halves: () => null,
    fail: (error) => {
      throw error;
    },
  };
}

export function ownPart(request: OwnRequest, answers: Map<OwnRequest, OwnResult>): Part {
  return {
    ...ethCall(request.to, request.data),
    isOwn: true,
    take: (answer, node) => answers.set(request, { data: dataOf(answer, node) }),
    halves: () => null,
    fail: ({ message }) => answers.set(request, { refused: message }),
  };
}

/** Gives a part its answer; what is to be asked anew in halves comes back. */
export function taken(part: Part, result: RpcResult, node: RpcNode): readonly Part[] {
  if (result.ok) {
    part.take(result.value, node.name);
    return [];
  }
  const { error } = result;
  const isItsOwn = part.isOwn === true && error.kind === "failed";
  if (error.kind !== "too_much" && error.kind !== "reverted" && !isItsOwn) throw error;
  const halves = error.kind === "too_much" ? part.halves() : null;
  if (halves === null) part.fail(error);
  return halves ?? [];
}

export function halved<T>(
  from: number,
  some: readonly T[],
  part: (from: number, half: readonly T[]) => Part,
): [Part, Part] | null {
  if (some.length < 2) return null;
  const middle = Math.ceil(some.length / 2);
  return [part(from, some.slice(0, middle)), part(from + middle, some.slice(middle))];
}

export function chunks<T>(list: readonly T[], size: number): (readonly T[])[] {
  const count = Math.ceil(list.length / size);
  return Array.from({ length: count }, (_, i) => list.slice(i * size, (i + 1) * size));
}

export function noContract(address: string): RpcError {
  return new RpcError("failed", `there is no such contract at ${address}`);
}
