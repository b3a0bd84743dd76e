import { POOL_ID } from "../kinds/records.ts";
import { type DaemonPlace, makePlace, type PlaceOptions } from "./daemon-place.ts";
import type { Owner } from "./program.ts";
import { type Received, type Receiver, startReceiver } from "./receiver.ts";
import { poolsOf, type ScriptedService, startScriptedService } from "./scripted-service.ts";

/** One rule that looks at one pool every second. */
const TVL_RULE = `
rules:
  - name: tvl-low
    watch: {kind: v4_pool, chain: 1, pools: [{id: "${POOL_ID}", name: The pool}]}
    when: {metric: tvl_usd, below: 900 usd}
    schedule: 1s
`;

/** The built daemon on one pool whose TVL the test sets, and a Slack that it answers for. */
export interface AlertWorld {
  readonly service: ScriptedService;
  readonly slack: Receiver;
  readonly place: DaemonPlace;
  /** The pool's TVL from now on, 1,000 at first. */
  readonly tvl: (usd: number) => void;
}

export async function makeAlertWorld(
  owner: Owner,
  { slackPath, ...options }: Partial<PlaceOptions> & { readonly slackPath?: string } = {},
): Promise<AlertWorld> {
  const service = await startScriptedService(owner);
  const slack = await startReceiver();
  owner.onTestFinished(() => slack.close());
  const place = await makePlace(owner, {
    serviceUrl: service.baseUrl,
    slackUrl: slack.origin + (slackPath ?? "/services/T0TEAM/B0HOOK/Zx9SecretTail"),
    rules: TVL_RULE,
    ...options,
  });
  const tvl = (usd: number): void =>
    service.answer(({ endpoint, query }) =>
      endpoint === "pool" ? poolsOf(query, { tvl_usd: usd }) : null,
    );
  tvl(1_000);
  return { service, slack, place, tvl };
}

/** What a message is about, by the sign of its first line. */
export type Told = "started" | "fired" | "resolved" | "no data" | "self" | "other";

const SIGNS: readonly (readonly [RegExp, Told])[] = [
  [/Watching/, "started"],
  [
    /^[⚪🟢] (?:The (?:database|machine)|Cannot write the database|Channel |Another daemon )/u,
    "self",
  ],
  [/^🟢/u, "resolved"],
  [/^⚪/u, "no data"],
  [/^[🔴🟠🔵]/u, "fired"],
];

/** Slack's first line of a message. */
export function firstLine({ body }: Received): string {
  return (JSON.parse(body) as { text: string }).text;
}

export function toldBy(one: Received): Told {
  const text = firstLine(one);
  return SIGNS.find(([sign]) => sign.test(text))?.[1] ?? "other";
}

/** For `Receiver.first`. */
export function tells(told: Told): (one: Received) => boolean {
  return (one) => toldBy(one) === told;
}
