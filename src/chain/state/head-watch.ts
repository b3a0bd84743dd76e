import type { Clock } from "../../base/clock.ts";
import { SECOND } from "../../base/duration.ts";
import { looksAfter } from "../block-times.ts";
import { RpcError } from "../rpc/error-kind.ts";
import { type ChainState, NoContract } from "./chain-state.ts";

/** After a look that failed the next one waits for so long; the nodes themselves rest by their own rules. */
const AFTER_FAILURE_MS = SECOND;

/** Looks at the head of a chain again and again, and says when another block is read. */
export class HeadWatch {
  #cancel: () => void = () => {};
  #isStopped = false;
  #looking: Promise<void>;
  #told: string | null = null;

  constructor(
    private readonly chain: ChainState,
    private readonly clock: Clock,
    private readonly onBlock: () => void,
  ) {
    this.#looking = this.#look();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const waitMs = await this.#waitAfterLook();
    if (this.#isStopped) return;
    this.#cancel = this.clock.after(waitMs, () => {
      this.#looking = this.#look();
    });
  }

  async #waitAfterLook(): Promise<number> {
    try {
      const { snapshots } = await this.chain.open();
      const { hash } = await snapshots.look();
      const isNew = hash !== this.#told;
      this.#told = hash;
      if (isNew && !this.#isStopped) this.onBlock();
      return looksAfter(this.chain.chainId, snapshots.head?.blockMs ?? 0, isNew);
    } catch (error) {
      // A contract that is not there a person must put right: rounds say so.
      if (!(error instanceof RpcError || error instanceof NoContract)) throw error;
      return AFTER_FAILURE_MS;
    }
  }
}
