import { chainName, chainWord } from "../../base/chains.ts";
import { DEMO_KEY } from "../../serve/server.ts";
import { type Answers, chainsOf, type DataAnswer } from "./answers.ts";
import type { ChannelChoice, NeededSecret } from "./channel-choices.ts";

const API_KEY: NeededSecret = {
  name: "TICKWATCH_API_KEY",
  sample: "twk_0123456789abcdef",
  comment: "The key of the data service",
};

/** The variables that the configuration of these answers names. */
export function secretsFor({ data, targets, channel }: Answers): readonly NeededSecret[] {
  const own = { service: [API_KEY], node: chainsOf(targets).map(nodeSecret), simulator: [] };
  return [...own[data.kind], ...channel.secrets];
}

/** The variable with the URL of a chain's node. */
function nodeSecret(chainId: number): NeededSecret {
  return {
    name: `RPC_${chainWord(chainId).toUpperCase()}`,
    sample: "https://node.example.org/v2/XXXX",
    comment: `The JSON-RPC URL of your node of ${chainName(chainId)}`,
  };
}

/** The text of config.yaml. */
export function configText(answers: Answers): string {
  const { data, channel } = answers;
  return `# Where the data comes from, and who is told. \`tickwatch check\` names every mistake in it;
# config.example.yaml in the package shows every key.
${data.kind === "node" ? nodeText(answers) : serviceText(data)}
rules: [rules/*.yaml]                    # files named *.test.yaml are tests and are skipped
store: tickwatch.db                      # samples, alerts and queued messages; or "\${env:DATABASE_URL}" of a PostgreSQL

channels:                                # a rule without \`notify\` notifies all of them
${channelText(channel)}`;
}

/** Holders are only counted of the tokens that are named: it takes all their transfers. */
function nodeText({ watch, targets }: Answers): string {
  const chains = chainsOf(targets).map((chainId) => {
    const tokens = targets.filter((one) => watch === "holders" && one.chainId === chainId);
    const ids = tokens.map(({ id }) => `"${id}"`).join(", ");
    const holders = ids === "" ? "" : `, holders: [${ids}]`;
    return `      ${chainWord(chainId)}: {urls: ["\${env:${nodeSecret(chainId).name}}"]${holders}}\n`;
  });
  return `service:
  rpc:                                   # your own nodes; docs/node.md says what they can answer
    chains:                              # a URL is a secret as a whole; see .env.example
${chains.join("")}`;
}

function serviceText(data: Exclude<DataAnswer, { readonly kind: "node" }>): string {
  if (data.kind === "simulator") {
    return `service:
  base_url: ${data.url}        # of \`tickwatch serve\`, the simulated data service
  legacy_base_url: ${data.url}
  api_key: ${DEMO_KEY}   # everybody knows it; a real key is written "\${env:TICKWATCH_API_KEY}"
`;
  }
  const addresses = [
    ...(data.url === null ? [] : [`  base_url: ${data.url}`]),
    ...(data.legacyUrl === null ? [] : [`  legacy_base_url: ${data.legacyUrl}`]),
  ];
  return `service:
${addresses.join("\n")}
  api_key: "\${env:TICKWATCH_API_KEY}"    # secrets stay in the environment; see .env.example
`;
}

function channelText({ kind, keys }: ChannelChoice): string {
  const terminal = "  terminal: {kind: console}              # prints where the daemon runs\n";
  if (kind === "console") return terminal;
  const own = [`kind: ${kind}`, ...keys].map((line) => `    ${line}\n`).join("");
  return `  ${kind}:\n${own}${terminal}`;
}

/** The text of .env.example, which shells, Docker and systemd read. */
export function envText(answers: Answers): string {
  const secrets = secretsFor(answers);
  if (secrets.length === 0) {
    return `# This configuration needs no secret. A channel such as Slack would name one here:
# SLACK_URL=https://hooks.slack.com/services/T000/B000/XXXX
`;
  }
  const own = secrets.map(({ name, sample, comment }) => `\n# ${comment}.\n${name}=${sample}\n`);
  return `# Copy this file to .env, put your own values in, and keep it to yourself: chmod 600 .env, and out of git.
# In a shell: set -a; . ./.env; set +a
${own.join("")}`;
}
