import { DEMO_KEY } from "../../serve/server.ts";
import type { Answers, DataAnswer } from "./answers.ts";
import type { ChannelChoice, NeededSecret } from "./channel-choices.ts";

const API_KEY: NeededSecret = {
  name: "TICKWATCH_API_KEY",
  sample: "twk_0123456789abcdef",
  comment: "The key of the data service",
};

/** The variables that the configuration of these answers names. */
export function secretsFor({ data, channel }: Answers): readonly NeededSecret[] {
  return [...(data.kind === "service" ? [API_KEY] : []), ...channel.secrets];
}

/** The text of config.yaml. */
export function configText({ data, channel }: Answers): string {
  return `# Where the data comes from, and who is told. \`tickwatch check\` names every mistake in it;
# config.example.yaml in the package shows every key.
${serviceText(data)}
rules: [rules/*.yaml]                    # files named *.test.yaml are tests and are skipped
store: tickwatch.db                      # samples, alerts and queued messages

channels:                                # a rule without \`notify\` notifies all of them
${channelText(channel)}`;
}

function serviceText(data: DataAnswer): string {
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
