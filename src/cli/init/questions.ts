import { type Answers, DATA, type DataAnswer, WATCHES, type Watch } from "./answers.ts";
import { Asker, checked, InitError } from "./asker.ts";
import { CHANNEL_CHOICES, CHANNEL_KINDS, channelChoice } from "./channel-choices.ts";
import { SIMULATOR_URL } from "./known.ts";
import type { Prompts } from "./prompts.ts";
import { askTargets, type InitOptions, type Surroundings } from "./targets.ts";

const WATCH_CHOICES: Readonly<Record<Watch, string>> = {
  lp: "my liquidity positions: in range, near the edge, moved",
  gas: "the gas of a chain: a tip that spikes, a cheap hour",
  treasury: "a wallet's tokens: outflows and every change",
  pool: "a pool: lost TVL, a price that moves",
  holders: "a token: holders that leave, a supply that moves",
};

const DATA_CHOICES: Readonly<Record<(typeof DATA)[number], string>> = {
  service: "a Chain Data Query Service, with your key",
  node: "my own EVM nodes, by JSON-RPC",
  simulator: "the simulated service, to try everything out",
};

/**
 * Asks for what the options leave open; at most six questions. Without `prompts` nobody can be asked: the first
 * option that is missing is an InitError, like an answer of the wrong form.
 */
export async function askAnswers(
  options: InitOptions,
  prompts: Prompts | null,
  around: Surroundings,
): Promise<Answers> {
  const asker = new Asker(prompts);
  const watch = await asker.choose("watch", options.watch, "What do you want to watch?", WATCHES, {
    hints: WATCH_CHOICES,
  });
  const data = await askData(options, asker);
  const { targets, wallet } = await askTargets(watch, data, options, asker, around);
  const kind = await asker.choose(
    "channel",
    options.channel,
    "Where do alerts go?",
    CHANNEL_KINDS,
    { hints: Object.fromEntries(CHANNEL_CHOICES.map((choice) => [choice.kind, choice.hint])) },
  );
  return { watch, data, targets, wallet, channel: channelChoice(kind) };
}

async function askData(options: InitOptions, asker: Asker): Promise<DataAnswer> {
  const given = options.data ?? ((options.url ?? options.legacyUrl) ? "service" : undefined);
  const kind = await asker.choose("data", given, "Where does the data come from?", DATA, {
    hints: DATA_CHOICES,
  });
  if (kind === "node") {
    if (options.url === undefined && options.legacyUrl === undefined) return { kind };
    throw new InitError(
      "--url is for --data service: the URLs of nodes are secrets, which .env.example names",
    );
  }
  if (kind === "simulator") {
    return { kind, url: checked("url", options.url ?? SIMULATOR_URL, urlTrouble) };
  }
  const legacyUrl =
    options.legacyUrl === undefined ? null : checked("legacy-url", options.legacyUrl, urlTrouble);
  if (options.url === undefined && legacyUrl !== null) return { kind, url: null, legacyUrl };
  const url = await asker.text(
    "url",
    options.url,
    "The address of the service, without /v1:",
    "https://data.example.org",
    urlTrouble,
  );
  return { kind, url, legacyUrl };
}

function urlTrouble(text: string): string | null {
  const isUrl = /^https?:\/\/[^/]/i.test(text) && URL.canParse(text) && !/[\s"'#]/.test(text);
  return isUrl ? null : "It is an address such as https://data.example.org.";
}
