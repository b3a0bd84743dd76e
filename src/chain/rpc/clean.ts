import { withoutKey } from "../../base/redact.ts";
import { cleanText, Secret } from "../../base/text.ts";

/** What a node says is cut to so many characters. */
const LONGEST_WORDS = 120;
/** A shorter part of a path is a word such as `v3`, no key. */
const SHORTEST_PART = 8;

/**
 * A function that makes one clean line of what a node says, without any part of its URL, which is a
 * secret as a whole: keys stand in the path, in the host, in the user and in the query.
 */
export function cleanerOf(url: Secret): (text: string) => string {
  const parts = partsOf(url.reveal()).map((part) => new Secret(part));
  return (text) => {
    // The cut comes last: half of a key is no longer found.
    const clean = parts.reduce((left, part) => withoutKey(left, part), text.slice(0, 4_000));
    return cleanText(clean, LONGEST_WORDS);
  };
}

function partsOf(address: string): readonly string[] {
  const { href, host, hostname, username, password, pathname, search } = new URL(address);
  const names = hostname.split(".").filter((name) => name.length >= SHORTEST_PART);
  const steps = pathname.split("/").filter((step) => step.length >= SHORTEST_PART);
  const values = [...new URLSearchParams(search).values()];
  const parts = [address, href, pathname, host, hostname, username, password, search];
  return [...parts, ...names, ...steps, ...values]
    .filter((part) => part.length > 3)
    .toSorted((a, b) => b.length - a.length);
}
