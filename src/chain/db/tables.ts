/**
 * What is kept of the chains: all of it can be read again from a node. Amounts and wei are texts, for they
 * may need 78 digits; addresses, ids and hashes are lower case with `0x`; times are epoch milliseconds.
 */
export const TABLES = `
-- The newest blocks, without a gap: what a reorg is held against.
CREATE TABLE blocks (
  chain INTEGER NOT NULL, number INTEGER NOT NULL,
  hash TEXT NOT NULL, parent TEXT NOT NULL, time INTEGER NOT NULL,
  PRIMARY KEY (chain, number)
) WITHOUT ROWID;

-- The first block of an hour.
CREATE TABLE borders (
  chain INTEGER NOT NULL, hour INTEGER NOT NULL, number INTEGER NOT NULL,
  PRIMARY KEY (chain, hour)
) WITHOUT ROWID;

-- Blocks of hours that are running, or that a reorg may still reach; txs is null for the fee history's.
CREATE TABLE gas_blocks (
  chain INTEGER NOT NULL, number INTEGER NOT NULL, hour INTEGER NOT NULL,
  base TEXT, used TEXT NOT NULL, most TEXT NOT NULL, txs INTEGER, bids INTEGER, zero INTEGER,
  min TEXT, max TEXT, top5 TEXT, top5_mean TEXT, top10 TEXT, top10_mean TEXT,
  PRIMARY KEY (chain, number)
) WITHOUT ROWID;

-- Finished hours: the specification's fields as JSON.
CREATE TABLE gas_hours (
  chain INTEGER NOT NULL, hour INTEGER NOT NULL, method TEXT NOT NULL, fields TEXT NOT NULL,
  PRIMARY KEY (chain, hour)
) WITHOUT ROWID;

-- What was read of the logs: the blocks first to last. Live sources have no last: theirs is the newest block,
-- and what they wrote since block since can be taken back.
CREATE TABLE ranges (
  chain INTEGER NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL,
  first INTEGER NOT NULL, last INTEGER, since INTEGER,
  PRIMARY KEY (chain, kind, id)
) WITHOUT ROWID;

-- time is null until somebody asks for it, where the log does not have it. Amounts are the pool's.
CREATE TABLE swaps (
  chain INTEGER NOT NULL, pool TEXT NOT NULL, block INTEGER NOT NULL, log_index INTEGER NOT NULL,
  time INTEGER, tx TEXT NOT NULL, sender TEXT NOT NULL, recipient TEXT,
  amount0 TEXT NOT NULL, amount1 TEXT NOT NULL, sqrt_price TEXT NOT NULL, liquidity TEXT NOT NULL,
  tick INTEGER NOT NULL, fee INTEGER,
  PRIMARY KEY (chain, pool, block, log_index)
) WITHOUT ROWID;
CREATE INDEX swaps_by_block ON swaps (chain, block);
CREATE TABLE liquidity_changes (
  chain INTEGER NOT NULL, pool TEXT NOT NULL, block INTEGER NOT NULL, log_index INTEGER NOT NULL,
  time INTEGER, tx TEXT NOT NULL, sender TEXT NOT NULL,
  lower INTEGER NOT NULL, upper INTEGER NOT NULL, delta TEXT NOT NULL, salt TEXT NOT NULL,
  PRIMARY KEY (chain, pool, block, log_index)
) WITHOUT ROWID;
CREATE INDEX liquidity_changes_by_block ON liquidity_changes (chain, block);

-- Tokens whose holders are counted. supply is what was minted less what was burned; estimate is how many
-- transfers were expected; checked is the block at which the sums last agreed with the contract; refused is
-- why it is not counted.
CREATE TABLE tokens (
  id INTEGER PRIMARY KEY, chain INTEGER NOT NULL, address TEXT NOT NULL,
  holders INTEGER NOT NULL, below_zero INTEGER NOT NULL, transfers INTEGER NOT NULL,
  supply TEXT NOT NULL,
  estimate INTEGER, checked INTEGER, recounts INTEGER NOT NULL DEFAULT 0, refused TEXT,
  UNIQUE (chain, address)
);
CREATE TABLE holders (
  token INTEGER NOT NULL, wallet BLOB NOT NULL, balance TEXT NOT NULL,
  PRIMARY KEY (token, wallet)
) WITHOUT ROWID;
CREATE INDEX holders_by_balance ON holders (token, length(balance), balance);

-- What a block overwrote, as JSON; null: there was nothing.
CREATE TABLE journal (
  chain INTEGER NOT NULL, block INTEGER NOT NULL,
  kind TEXT NOT NULL, key TEXT NOT NULL, before TEXT,
  PRIMARY KEY (chain, block, kind, key)
) WITHOUT ROWID;

-- What is still to be read of the past, for those who look from beside.
CREATE TABLE progress (
  chain INTEGER NOT NULL, work TEXT NOT NULL,
  share REAL NOT NULL, left_ms REAL, at INTEGER NOT NULL,
  PRIMARY KEY (chain, work)
) WITHOUT ROWID;

-- Since which block pools and positions have been as they are; state is anything that changes with them.
CREATE TABLE seen (
  chain INTEGER NOT NULL, subject TEXT NOT NULL,
  state TEXT NOT NULL, block INTEGER NOT NULL, time INTEGER NOT NULL,
  PRIMARY KEY (chain, subject)
) WITHOUT ROWID;
`;

/** What is kept of positions: which of V4 an owner got and gave away, and what went in and out of those of V3. */
export const POSITION_TABLES = `
CREATE TABLE nft_transfers (
  chain INTEGER NOT NULL, block INTEGER NOT NULL, log_index INTEGER NOT NULL,
  nft TEXT NOT NULL, sender TEXT NOT NULL, receiver TEXT NOT NULL,
  PRIMARY KEY (chain, block, log_index)
) WITHOUT ROWID;
CREATE INDEX nft_transfers_by_sender ON nft_transfers (chain, sender);
CREATE INDEX nft_transfers_by_receiver ON nft_transfers (chain, receiver);

-- kind is in, out or collected; a position goes by its version and its NFT's id, as v3:42.
CREATE TABLE position_flows (
  chain INTEGER NOT NULL, position TEXT NOT NULL, block INTEGER NOT NULL, log_index INTEGER NOT NULL,
  kind TEXT NOT NULL, liquidity TEXT NOT NULL, amount0 TEXT NOT NULL, amount1 TEXT NOT NULL,
  PRIMARY KEY (chain, position, block, log_index, kind)
) WITHOUT ROWID;
CREATE INDEX position_flows_by_block ON position_flows (chain, block);
CREATE INDEX liquidity_changes_by_salt ON liquidity_changes (chain, salt);
`;
