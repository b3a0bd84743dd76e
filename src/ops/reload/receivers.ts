import type { Channel } from "../../channels/channel.ts";
import type { Receivers } from "../../delivery/deliver.ts";
import type { Setup } from "../../model/index.ts";

/** The channels of a setup: those that were opened for it, and those from before that are the same. */
export function channelsOf(
  { channels }: Setup,
  fresh: ReadonlyMap<string, Channel>,
  before: ReadonlyMap<string, Channel>,
): ReadonlyMap<string, Channel> {
  return new Map(
    channels.flatMap(({ name }) => {
      const channel = fresh.get(name) ?? before.get(name);
      return channel === undefined ? [] : [[name, channel] as const];
    }),
  );
}

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
