import type { Channel } from "../../channels/channel.ts";
import type { Receivers } from "../../delivery/deliver.ts";
import type { Setup } from "../../model/index.ts";

/** The channels as the delivery takes them. */
export function receivers(
  { channels: configs, groupWaitMs }: Setup,
  channels: ReadonlyMap<string, Channel>,
): Receivers {
  const zones = new Map(configs.map(({ name, timezone }) => [name, timezone]));
  return { channels, zones, groupWaitMs };
}

/** By rule, the channels that are not to hear of it at times. */
export function mutesOf({ rules }: Setup): ReadonlyMap<string, Setup["rules"][number]["mutes"]> {
  return new Map(rules.map((rule) => [rule.name, rule.mutes]));
}
