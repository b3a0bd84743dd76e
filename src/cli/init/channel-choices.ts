/** A secret that a configuration names: its variable, and a value of the right form for .env.example. */
export interface NeededSecret {
  readonly name: string;
  readonly sample: string;
  /** Where it comes from. */
  readonly comment: string;
}

/** A channel that `tickwatch init` can write. */
export interface ChannelChoice {
  readonly kind: string;
  /** What it is, for the question. */
  readonly hint: string;
  /** Its keys in config.yaml beside `kind`, with comments. */
  readonly keys: readonly string[];
  readonly secrets: readonly NeededSecret[];
}

export const CHANNEL_CHOICES: readonly ChannelChoice[] = [
  {
    kind: "console",
    hint: "prints where the daemon runs",
    keys: [],
    secrets: [],
  },
  {
    kind: "slack",
    hint: "an incoming webhook",
    keys: ['url: "${env:SLACK_URL}"'],
    secrets: [
      {
        name: "SLACK_URL",
        sample: "https://hooks.slack.com/services/T000/B000/XXXX",
        comment: "Slack: the address of an incoming webhook of your app",
      },
    ],
  },
  {
    kind: "telegram",
    hint: "a bot that writes to a chat",
    keys: ['token: "${env:TELEGRAM_TOKEN}"', 'chat_id: "${env:TELEGRAM_CHAT}"'],
    secrets: [
      {
        name: "TELEGRAM_TOKEN",
        sample: "123456:ABC-DEF1234",
        comment: "Telegram: the bot's token, from @BotFather",
      },
      {
        name: "TELEGRAM_CHAT",
        sample: "-1001234567890",
        comment: "Telegram: the id of the chat, or @name of a public channel",
      },
    ],
  },
  {
    kind: "discord",
    hint: "a channel's webhook",
    keys: ['url: "${env:DISCORD_URL}"'],
    secrets: [
      {
        name: "DISCORD_URL",
        sample: "https://discord.com/api/webhooks/123/XXXX",
        comment: "Discord: the address of a webhook of the channel",
      },
    ],
  },
  {
    kind: "email",
    hint: "through your mail server",
    keys: ['smtp: "${env:SMTP_URL}"', 'from: "${env:MAIL_FROM}"', 'to: "${env:MAIL_TO}"'],
    secrets: [
      {
        name: "SMTP_URL",
        sample: "smtps://user:password@mail.example.org",
        comment: "Mail: your server with user and password",
      },
      {
        name: "MAIL_FROM",
        sample: "tickwatch@example.org",
        comment: "Mail: the sender's address",
      },
      { name: "MAIL_TO", sample: "you@example.org", comment: "Mail: your address" },
    ],
  },
  {
    kind: "pagerduty",
    hint: "Events API v2, for people on call",
    keys: ['routing_key: "${env:PAGERDUTY_KEY}"'],
    secrets: [
      {
        name: "PAGERDUTY_KEY",
        sample: "0123456789abcdef0123456789abcdef",
        comment: "PagerDuty: the key of an Events API v2 integration",
      },
    ],
  },
  {
    kind: "webhook",
    hint: "JSON to an address of your own",
    keys: ['url: "${env:WEBHOOK_URL}"'],
    secrets: [
      {
        name: "WEBHOOK_URL",
        sample: "https://alerts.example.org/hook",
        comment: "Webhook: the address that takes the JSON",
      },
    ],
  },
];

export const CHANNEL_KINDS: readonly string[] = CHANNEL_CHOICES.map(({ kind }) => kind);

/** Throws Error for a kind that is none of CHANNEL_KINDS. */
export function channelChoice(kind: string): ChannelChoice {
  const found = CHANNEL_CHOICES.find((choice) => choice.kind === kind);
  if (found === undefined) throw new Error(`no channel kind ${kind}`);
  return found;
}
