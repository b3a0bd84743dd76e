import { createHash } from "node:crypto";
import { systemClock } from "../base/clock.ts";
import { nearest } from "../base/nearest.ts";
import type { Channel, Outcome } from "../channels/channel.ts";
import { CHANNELS } from "../channels/index.ts";
import { localize } from "../delivery/localize.ts";
import { type ChannelConfig, type Message, NOTICE_KINDS, type Setup } from "../model/index.ts";
import { EXIT, type Io } from "./io.ts";
import { reportWarnings, table } from "./report.ts";
import { type SampleKind, sampleNotice } from "./send-test-samples.ts";
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
  const channel = openChannel(config, io);
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

function openChannel({ kind, settings }: ChannelConfig, io: Io): Channel {
  const known = CHANNELS.get(kind);
  if (known === undefined) throw new Error(`no channel kind ${kind}`);
  return known.open(settings, { print: io.out, colours: io.colours });
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
      refused || stop.aborted ? null : await send(channel, config, kind, stop);
    refused ||= outcome?.status === "parked";
    results.push({ kind, outcome });
  }
  return results;
}

async function send(
  channel: Channel,
  { name, timezone }: ChannelConfig,
  kind: SampleKind,
  stop: AbortSignal,
): Promise<Outcome> {
  const notice = localize(sampleNotice(kind, systemClock().now()), timezone);
  const facts = JSON.stringify(["send-test", name, notice.id]);
  const message: Message = {
    // Another one each time: a receiver that knows it already would drop it.
    id: createHash("sha256").update(facts).digest("hex").slice(0, 24),
    channel: name,
    notices: [notice.id],
    body: channel.render(notice),
    attempts: 1,
  };
  return await channel.send(message, stop);
}

function isDelivered(outcome: Outcome | null): boolean {
  return outcome?.status === "sent" && outcome.note === undefined;
}

function outcomeText(outcome: Outcome | null): string {
  switch (outcome?.status) {
    case undefined:
      return "not tried";
    case "sent":
      return outcome.note === undefined ? "delivered" : `delivered, but ${outcome.note}`;
    case "retry":
      return `not delivered, would be tried again: ${outcome.reason}`;
    case "parked":
      return `refused, the daemon would wait: ${outcome.reason}`;
    case "dead":
      return `refused, would be given up: ${outcome.reason}`;
  }
}
