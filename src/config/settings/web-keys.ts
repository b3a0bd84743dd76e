import { z } from "zod";
import { isMap } from "../../base/json.ts";
import { isLoopback } from "../../base/network.ts";
import { flag, httpUrl, plainText, refuse, secretText } from "../../base/settings.ts";
import { formTrouble } from "../../base/slips.ts";
import { cleanText, Secret } from "../../base/text.ts";
import type { WebConfig } from "../../model/index.ts";
import { errorAt, type Path, type Report, warningAt } from "../../rules/finding.ts";
import { readKeys } from "../files/shape.ts";

const PATH: Path = ["web"];
const EXAMPLE = "127.0.0.1:9464";
/** Whoever can try a thousand tokens a second must not come to it within a life. */
const SHORTEST_TOKEN = 16;

const HOST_AND_PORT =
  /^(?:\[(?<six>[0-9a-f:.]+)\]|(?<host>[a-z0-9][a-z0-9.-]*)):(?<port>\d{1,5})$/i;
const NAME = /^(?:\[[0-9a-f:.]+\]|[a-z0-9][a-z0-9.-]{0,252})$/i;

function tokenText(): z.ZodType<Secret> {
  return secretText("a text that those who ask must send").superRefine((token, context) => {
    const text = token.reveal();
    const short = text.length < SHORTEST_TOKEN ? "the value is too short" : null;
    const why = formTrouble(text, /^[\x21-\x7e]$/) ?? short;
    if (why !== null) {
      refuse(context, "bad-setting", why, `${SHORTEST_TOKEN} letters, digits and signs at least`);
    }
  });
}

/** What stands under each key of `web`, by itself. */
export const WEB = z
  .strictObject({
    listen: plainText(`an address and a port such as ${EXAMPLE}`).transform((text, context) => {
      const groups = HOST_AND_PORT.exec(text)?.groups;
      const port = Number(groups?.port);
      const host = groups?.six ?? groups?.host;
      if (host !== undefined && port <= 65_535) return { host: host.toLowerCase(), port };
      const shown = cleanText(text, 60);
      return refuse(context, "bad-host", `"${shown}" is not an address with a port`, {
        expected: `such as ${EXAMPLE} or "[::1]:9464"`,
        ...(/^:?\d{1,5}$/.test(text) ? { suggestion: `127.0.0.1:${text.replace(":", "")}` } : {}),
      });
    }),
    token: tokenText(),
    read_only_token: tokenText(),
    hosts: z.unknown(),
    url: httpUrl(),
    page: flag(),
    actions: flag(),
  })
  .partial();

/** Reads `web`; `literal` is the same before references were expanded. */
export function readWeb(raw: unknown, literal: unknown, report: Report): WebConfig | null {
  if (raw === undefined) return null;
  const keys = readKeys(WEB, raw, PATH, "web", report);
  if (keys === null || !isMap(raw)) return null;
  const { token = null, read_only_token: readOnlyToken = null } = keys;
  const url = keys.url === undefined ? null : readUrl(keys.url, report);
  const hosts = readHosts(keys.hosts, report);
  warnOfLiterals(literal, report);
  if (keys.listen === undefined) {
    if (!("listen" in raw)) {
      report(errorAt("missing-key", [...PATH, "listen"], "is missing", `listen: ${EXAMPLE}`));
    }
    return null;
  }
  const far = !isLoopback(keys.listen.host);
  if (far && !("token" in raw) && !("read_only_token" in raw)) {
    const message = "listen is reachable from other machines, which needs a token";
    const expected = '`token: "${env:TICKWATCH_WEB_TOKEN}"` beside it';
    report(errorAt("needs-token", [...PATH, "listen"], message, expected));
  }
  if (keys.actions === true && !("token" in raw) && (far || readOnlyToken !== null)) {
    const message = "whoever acts must be told from whoever looks, which needs a token";
    const expected = '`token: "${env:TICKWATCH_WEB_TOKEN}"` beside it';
    report(errorAt("needs-token", [...PATH, "actions"], message, expected));
  }
  if (token !== null && readOnlyToken !== null && token.reveal() === readOnlyToken.reveal()) {
    const message = "is the same as token: whoever sends it could act";
    report(errorAt("bad-setting", [...PATH, "read_only_token"], message, "another one"));
  }
  return {
    ...keys.listen,
    token,
    readOnlyToken,
    hosts: [...new Set([...hosts, ...(url === null ? [] : [new URL(url).hostname])])],
    url,
    page: keys.page ?? true,
    actions: keys.actions ?? token !== null,
  };
}

function warnOfLiterals(literal: unknown, report: Report): void {
  if (!isMap(literal)) return;
  for (const key of ["token", "read_only_token"]) {
    const written = literal[key];
    if (typeof written !== "string" || written.startsWith("${")) continue;
    const expected = '"${env:NAME}" or "${file:PATH}"';
    report(warningAt("secret-in-file", [...PATH, key], "the file itself holds a secret", expected));
  }
}

/** The page is served at the root of its address. */
function readUrl(url: string, report: Report): string | null {
  const { origin, pathname } = new URL(url);
  if (pathname === "/") return origin;
  const message = "the address has a path, and the page is served at the root";
  report(errorAt("bad-url", [...PATH, "url"], message, origin));
  return null;
}

function readHosts(raw: unknown, report: Report): readonly string[] {
  if (raw === undefined) return [];
  const expected = "a list of names such as [tickwatch.internal]";
  if (!Array.isArray(raw)) {
    report(errorAt("wrong-type", [...PATH, "hosts"], "is not a list", expected));
    return [];
  }
  return raw.flatMap((item: unknown, i) => {
    const name = item instanceof Secret ? item.reveal() : item;
    if (typeof name === "string" && NAME.test(name)) return [name.toLowerCase()];
    const example = "a name without a port, such as tickwatch.internal";
    report(errorAt("bad-host", [...PATH, "hosts", i], "is not a host name", example));
    return [];
  });
}
