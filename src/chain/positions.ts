import type { PositionsBeyond } from "../serve/world.ts";
import type { AskChain } from "./beyond.ts";
import type { ChainIndex } from "./chain-index.ts";
import { v3OwnedRecords, v4OwnedRecords } from "./state/owned.ts";
import { v3HoldRecord, v4HoldRecord } from "./state/position-hold.ts";
import { v3PositionRecord } from "./state/v3-positions.ts";
import { v4FeesRecord } from "./state/v4-positions.ts";

/** What nodes know of positions beyond the specification; `indexOf`: what is kept of a chain's logs. */
export function positionsBeyond(
  ask: AskChain,
  indexOf: (chainId: number) => Promise<ChainIndex>,
): PositionsBeyond {
  return {
    v3Position: (chainId, nft) =>
      ask(chainId, `v3_position:${nft}`, (reader, parts) => v3PositionRecord(reader, nft, parts)),
    v4Fees: (chainId, nft) =>
      ask(chainId, `v4_fees:${nft}`, (reader, parts) => v4FeesRecord(reader, nft, parts)),
    v3Hold: (chainId, nft) =>
      ask(chainId, `v3_hold:${nft}`, async (reader, parts) =>
        v3HoldRecord(reader, nft, parts, (await indexOf(chainId)).flows),
      ),
    v4Hold: (chainId, nft) =>
      ask(chainId, `v4_hold:${nft}`, async (reader, parts) =>
        v4HoldRecord(reader, nft, parts, (await indexOf(chainId)).flows),
      ),
    v3Owned: (chainId, owner) =>
      ask(chainId, `v3_owned:${owner}`, (reader, parts) => v3OwnedRecords(reader, owner, parts)),
    v4Owned: (chainId, owner) =>
      ask(chainId, `v4_owned:${owner}`, async (reader, parts) => {
        const { owners } = await indexOf(chainId);
        return v4OwnedRecords(
          reader,
          owner,
          await owners.heldBy(owner, reader.header.number),
          parts,
        );
      }),
  };
}
