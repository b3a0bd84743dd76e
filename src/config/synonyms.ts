import { type Synonyms, synonymTable } from "../base/suggest.ts";

/**
 * What newcomers write, from other tools or by the sound of it, and what it is called here. It serves
 * suggestions only: what a file says is never read as something else.
 */

export const CHAIN_SYNONYMS = synonymTable({
  ethereum: "mainnet eth eth_mainnet ethereum_mainnet homestead",
  polygon: "matic pol polygon_pos",
  avalanche: "avax c_chain avalanche_c_chain",
  optimism: "op op_mainnet",
  arbitrum: "arb arbitrum_one arb1",
  bnb: "bsc bnb_chain binance binance_smart_chain",
  unichain: "uni",
  immutable: "imx immutable_zkevm",
  monad: "mon",
});

export const SEVERITY_SYNONYMS = synonymTable({
  critical: "high highest error err fatal emergency urgent page p1",
  warning: "p2 medium moderate normal",
  info: "p3 low information informational notice debug",
});

export const RULE_SYNONYMS = synonymTable({
  name: "id rule alert_name rule_name alert",
  when: "if condition conditions alert_when expr expression trigger where query rule_condition",
  watch: "target targets source monitor resource",
  notify:
    "channel channels send_to alert_to to tell receiver receivers notifications notifiers actions",
  schedule: "every interval poll poll_interval poll_every check_every frequency cron",
  "note or title": "message text annotations",
  note: "description body comment",
  title: "summary subject headline",
  for: "pending duration sustained for_duration for_at_least",
  resolve_when: "clear_when clear resolve recover_when recovery hysteresis ok_when until",
  resolve_after: "clear_after recover_after keep_firing_for resolve_for",
  severity: "level priority urgency",
  labels: "tags",
  remind: "repeat repeat_every repeat_interval renotify reminder reminders",
  cooldown: "throttle rate_limit snooze",
  "enabled: false": "disabled disable",
  enabled: "active",
  timezone: "tz zone",
  on_missing: "no_data nodata on_no_data",
  missing_after: "no_data_after",
  only_while: "depends_on only_if only_when requires",
  unless: "except inhibit inhibited_by",
  across: "aggregate",
  "across: sum": "sum",
  send_resolved: "notify_resolved notify_on_resolve",
  once: "one_shot",
});

/** Also for targets; which of several fits depends on the kind. */
export const WATCH_SYNONYMS: Synonyms = {
  ...synonymTable({
    kind: "type what",
    chain: "chains chain_id chain_ids chainid network networks blockchain",
    pools: "pool_ids",
    token: "asset",
    positions: "nfts token_ids",
    wallet: "holder owner account accounts of",
    decimals: "precision",
    protocol: "dex exchange amm",
    name: "label title",
    top: "limit count",
  }),
  id: ["pools", "positions", "token"],
  ids: ["pools", "positions", "token"],
  target: ["pools", "positions", "token"],
  targets: ["pools", "positions", "token"],
  address: ["id", "token", "pools", "wallet"],
  addresses: ["token", "pools", "wallet"],
  contract: ["id", "token", "pools"],
  pool_id: ["id", "pools"],
  pool_address: ["id", "pools"],
  token_address: ["id", "token"],
  nft: ["id", "positions"],
  nft_id: ["id", "positions"],
  token_id: ["positions", "id", "token"],
};
