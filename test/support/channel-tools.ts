import type { Clock } from "../../src/base/clock.ts";
import type { ChannelTools } from "../../src/channels/channel.ts";
import { httpClient } from "../../src/channels/http-channel.ts";

/** What a channel is opened with that prints nothing; `limitMs` for a whole request. */
export function toolsOf(limitMs?: number, clock?: Clock): ChannelTools {
  const client = httpClient(limitMs);
  return { print: () => {}, colours: false, client, ...(clock === undefined ? {} : { clock }) };
}
