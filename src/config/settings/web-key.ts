import { z } from "zod";
import { isLoopback } from "../../base/loopback.ts";
import { Secret } from "../../base/secret.ts";
import { plainText, refuse, secretText } from "../../base/settings.ts";
import { formTrouble } from "../../base/slips.ts";
import { cleanText } from "../../base/text.ts";
import type { WebConfig } from "../../model/index.ts";
import { errorAt, type Path, type Report, warningAt } from "../../rules/finding.ts";
import { isMap, readKeys, type Words } from "../files/shape.ts";

const PATH: Path = ["web"];
const EXAMPLE = "127.0.0.1:9464";
/** Whoever can try a thousand tokens a second must not come to it within a life. */
const SHORTEST_TOKEN = 16;

const HOST_AND_PORT =
  /^(?:\[(?<six>[0-9a-f:.]+)\]|(?<host>[a-z0-9][a-z0-9.-]*)):(?<port>\d{1,5})$/i;
const NAME = /^(?:\[[0-9a-f:.]+\]|[a-z0-9][a-z0-9.-]{0,252})$/i;

/** What stands under each key of `web`, by itself. */
export const WEB = z
  .strictObject({
    listen: plainText(`an address and a port such as ${EXAMPLE}`).transform((text, context) => {
      const groups = HOST_AND_PORT.exec(text)?.groups;
      const port = Number(groups?.port);
      const host = groups?.six ?? groups?.host;
      if (host !== undefined && port <= 65_535) return { host: host.toLowerCase(), port };
      const shown = cleanText(text, 60);
      return refuse(context, `"${shown}" is no address with a port`, {
        expected: `such as ${EXAMPLE} or "[::1]:9464"`,
        ...(/^:?\d{1,5}$/.test(text) ? { suggestion: `127.0.0.1:${text.replace(":", "")}` } : {}),
      });
    }),
    token: secretText("a text that those who ask must send").superRefine((token, context) => {
      const text = token.reveal();
      const short = text.length < SHORTEST_TOKEN ? "the value is too short" : null;
      const why = formTrouble(text, /^[\x21-\x7e]$/) ?? short;
      if (why !== null) {
        refuse(context, why, { expected: `${SHORTEST_TOKEN} letters, digits and signs at least` });
      }
    }),
    hosts: z.unknown(),
  })
  .partial();

const WORDS: Words = { what: "web", keys: Object.keys(WEB.shape) };

/** Reads `web`; `literal` is the same before references were expanded. */
export function readWeb(raw: unknown, literal: unknown, report: Report): WebConfig | null {
  if (raw === undefined) return null;
  const keys = readKeys(WEB, raw, PATH, WORDS, report);
  if (keys === null || !isMap(raw)) return null;
  const hosts = readHosts(keys.hosts, report);
  if (isMap(literal) && typeof literal.token === "string" && !literal.token.startsWith("${")) {
    const hint = { expected: '"${env:NAME}" or "${file:PATH}"' };
    report(warningAt([...PATH, "token"], "a secret stands in the file itself", hint));
  }
  if (keys.listen === undefined) {
    if (!("listen" in raw)) {
      report(errorAt([...PATH, "listen"], "is missing", { expected: `listen: ${EXAMPLE}` }));
    }
    return null;
  }
  if (!isLoopback(keys.listen.host) && !("token" in raw)) {
    const message = "listen goes beyond this machine, which needs a token";
    const hint = { expected: '`token: "${env:TICKWATCH_WEB_TOKEN}"` beside it' };
    report(errorAt([...PATH, "listen"], message, hint));
  }
  return { ...keys.listen, token: keys.token ?? null, hosts };
}

function readHosts(raw: unknown, report: Report): readonly string[] {
  if (raw === undefined) return [];
  const expected = "a list of names such as [tickwatch.internal]";
  if (!Array.isArray(raw)) {
    report(errorAt([...PATH, "hosts"], "is no list", { expected }));
    return [];
  }
  return raw.flatMap((item: unknown, i) => {
    const name = item instanceof Secret ? item.reveal() : item;
    if (typeof name === "string" && NAME.test(name)) return [name.toLowerCase()];
    const hint = { expected: "a name without a port, such as tickwatch.internal" };
    report(errorAt([...PATH, "hosts", i], "is no name of a host", hint));
    return [];
  });
}
