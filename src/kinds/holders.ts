import { cleanText, shortId } from "../base/text.ts";
import type { Ask, Subject } from "../model/index.ts";
import { metric } from "./fields.ts";
import type { Metric, WatchKind } from "./kind.ts";
import { HoldersReading } from "./streams/holders-reading.ts";
import { TOKEN_TARGETS, TOKEN_WORDS } from "./token-record.ts";
import { supplyAsk } from "./token-supply.ts";
import { infoAsk } from "./tokens.ts";

/** The longest list that can be asked for in one page. */
const MOST = 100;
/** So many more are asked for, to see who is as rich as the last of the list. */
const SPARE = 10;

/**
 * The largest holders of a token on one chain: who enters and who leaves their list, and how much of
 * the supply they hold.
 */
export const holders: WatchKind = {
  kind: "holders",
  aliases: ["holder"],
  words: {
    ...TOKEN_WORDS,
    entry: {
      one: "wallet",
      several: ({ top }) =>
        top === undefined ? "changes among the holders" : `changes in the top ${top}`,
      list: { of: "holders", verbs: { entered: "enter", left: "leave" } },
      shown: ["wallet", "balance", "rank"],
      /** `Entered the top 10`, with the wallet, its rank and its balance. */
      lines: ({ ids, value, text }) => {
        const left = value("left") === true;
        const list = ids.top === undefined ? "the largest holders" : `the top ${ids.top}`;
        const wallet = value("wallet");
        const [rank, balance] = [text("rank"), text("balance")];
        const more = [
          ...(typeof wallet === "string" ? [`. ${shortId(cleanText(wallet))}`] : []),
          ...(rank === null ? [] : [`, ${left ? "was rank" : "rank"} ${rank}`]),
          ...(balance === null ? [] : [`, ${balance}`]),
        ];
        return [{ before: `${left ? "Left" : "Entered"} ${list}`, more, plain: true }];
      },
    },
  },
  targets: {
    ...TOKEN_TARGETS,
    options: { top: { kind: "whole", min: 1, max: MOST, default: 10 } },
  },
  bucketMs: null,
  stream: "whole",
  records: ["holder"],
  metrics: new Map(
    [
      metric("top_share", "ratio", "share of the top holders", "share"),
      metric("largest_balance", "raw", "largest balance"),
      metric("smallest_balance", "raw", "smallest balance of the top"),
      ofEntry(metric("entered", "boolean", "entered")),
      ofEntry(metric("left", "boolean", "left")),
      ofEntry(metric("wallet", "address", "wallet")),
      ofEntry(metric("balance", "raw", "balance", "value", "amount")),
      ofEntry(metric("rank", "count", "rank")),
    ].map((one) => [one.name, one]),
  ),

  subject: ({ chainId, id, name, options }) => {
    const token = (id ?? "").toLowerCase();
    const top = options?.top ?? "10";
    const key = `holders:${chainId}:${token}:${top}`;
    return { key, kind: "holders", chainId, ids: { token, top }, name };
  },

  asks: (subject) => [listAsk(subject), supplyOf(subject)],

  follow: () => [],

  facts: ({ chainId, ids }) => [infoAsk(chainId, ids.token ?? "")],

  read: (subject, answers, date, cursor = null) => {
    const { chainId, ids } = subject;
    return new HoldersReading({
      subject,
      top: topOf(subject),
      asked: limitOf(subject),
      list: answers(listAsk(subject)),
      supply: answers(supplyOf(subject)),
      info: answers(infoAsk(chainId, ids.token ?? "")),
      date,
      cursor,
    });
  },
};

function ofEntry(one: Metric): Metric {
  return { ...one, entry: true };
}

function topOf({ ids }: Subject): number {
  return Number(ids.top ?? "10");
}

function limitOf(subject: Subject): number {
  return Math.min(MOST, topOf(subject) + SPARE);
}

function listAsk(subject: Subject): Ask {
  const { key, chainId, ids } = subject;
  return {
    key,
    record: "holder",
    chainId,
    id: ids.token ?? "",
    limit: limitOf(subject),
    offset: 0,
  };
}

/** Where the current family does not have the supply, the token's info does. */
function supplyOf({ chainId, ids }: Subject): Ask {
  const ask = supplyAsk(chainId, ids.token ?? "");
  return { ...ask, key: `${ask.key}:or_info`, instead: "token_info" };
}
