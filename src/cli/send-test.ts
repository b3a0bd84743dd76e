import { systemClock } from "../base/clock.ts";
import { nearest } from "../base/nearest.ts";
import type { Channel, Outcome } from "../channels/channel.ts";
import { type ChannelConfig, NOTICE_KINDS, type Setup } from "../model/index.ts";
import type { SampleKind } from "../operate/sample-notice.ts";
import { isDelivered, openConfigured, outcomeText, sendSample } from "../operate/test-message.ts";
import { EXIT, type Io } from "./io.ts";
import { reportWarnings, table } from "./report.ts";
import { readSetup } from "./setup.ts";

export interface SendTestOptions {
  readonly config: string;
  readonly kind?: SampleKind;
}

/** `tickwatch send-test`: the exit code. Throws ConfigError. */
export async function sendTest(name: string, options: SendTestOptions, io: Io): Promise<number> {
  const { setup, warnings } = await readSetup(options.config, io);
  reportWarnings(warnings, io);
  const config = setup.channels.find((one) => one.name === name);
  if (config === undefined) {
    io.err(`tickwatch: ${unknownChannel(name, setup)}\n`);
    return EXIT.usage;
  }
  const channel = openConfigured(config, setup, { print: io.out, colours: io.colours });
  try {
    const kinds = options.kind === undefined ? NOTICE_KINDS : [options.kind];
    const results = await sendAll(channel, config, kinds, io.stop());
    const rows = results.map(({ kind, outcome }) => [kind, outcomeText(outcome)]);
    io.out(`${table(["notice", `what ${name} said`], rows)}\n`);
    return results.every(({ outcome }) => isDelivered(outcome)) ? EXIT.fine : EXIT.unreachable;
  } finally {
    await channel.close();
  }
}

function unknownChannel(name: string, { channels }: Setup): string {
  const names = channels.map((one) => one.name);
  const near = nearest(name, names);
  const meant = near === null ? "" : ` Did you mean ${near}?`;
  return `no channel is called ${JSON.stringify(name)}; there is ${names.join(", ")}.${meant}`;
}

interface Result {
  readonly kind: SampleKind;
  /** Null: not tried. */
  readonly outcome: Outcome | null;
}

async function sendAll(
  channel: Channel,
  config: ChannelConfig,
  kinds: readonly SampleKind[],
  stop: AbortSignal,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let refused = false;
  for (const kind of kinds) {
    // A server that refuses the password locks the door after a few more.
    const outcome: Outcome | null =
      refused || stop.aborted
        ? null
        : await sendSample(channel, config, kind, systemClock().now(), stop);
    refused ||= outcome?.status === "parked";
    results.push({ kind, outcome });
  }
  return results;
}
