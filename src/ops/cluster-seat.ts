import type { ChainNeeds } from "../chain/needs.ts";
import type { Member } from "../cluster/member.ts";
import type { OnRoundsEvent } from "../commit/committer.ts";
import type { Delivery, Receivers } from "../delivery/deliver.ts";
import type { Setup } from "../model/index.ts";
import type { HoldingsWatch } from "./holdings.ts";
import type { FollowOptions } from "./reload/current-rounds.ts";
import type { LoadedFiles } from "./reload/files.ts";
import type { SelfNotices } from "./self-notices.ts";
import type { WholeViewParts } from "./whole-view.ts";

/** A daemon's place among others. */
export interface ClusterSeat {
  readonly member: Member;
  /** The hash of the configuration that decides, for the others. */
  readonly decides: (hash: string) => void;
  /** What its own configuration was read from. */
  readonly files: LoadedFiles;
  /** The text of such files, for others; null: a secret stands in them. */
  readonly pack: (setup: Setup, files: LoadedFiles) => string | null;
  /** Reads what another daemon has packed. Throws ConfigError. */
  readonly unpack: (text: string) => Promise<Setup>;
  /** As it can be asked: of nodes the daemon is the service itself. */
  readonly serve: (setup: Setup) => Promise<Setup>;
  /** Of the requests that each node may be sent so much is this daemon's from now on. */
  readonly paceNodes: (part: number) => void;
  /** Its part of the work needs this of the nodes' chains from now on, and no more. */
  readonly needNodes: (needs: ChainNeeds) => void;
}

/** What of a daemon its place among others works with. */
export interface ClusterWorkParts extends WholeViewParts {
  readonly onEvent: OnRoundsEvent;
  /** Carries out at once the commands that people gave. */
  readonly carryOut: () => Promise<void>;
  readonly self: SelfNotices;
  readonly owned: HoldingsWatch;
  readonly delivery: Delivery;
  /** All channels, whoever delivers to them. */
  readonly receivers: () => Receivers;
  /** One after the other with what else changes the setup. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** Watches by this setup from now on, which was bound to what is held. */
  readonly follow: (given: Setup, options: FollowOptions) => Promise<void>;
  /** Goes over to another configuration; see App.follow. */
  readonly change: (next: Setup) => Promise<unknown>;
  /** Whether this daemon does what one of them does for all; told of each change of what it holds. */
  readonly keep: (keeps: boolean) => Promise<void>;
  /** It watches nothing any more, and must join the others anew. */
  readonly onFatal: (error: unknown) => void;
}
