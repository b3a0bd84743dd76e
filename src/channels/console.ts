import { z } from "zod";
import type { Notice } from "../model/index.ts";
import type { ChannelKind } from "./channel.ts";
import { type PageLink, pageLink, rangePicture, safeLine, sparkline, webAddress } from "./text.ts";

const settings = z.strictObject({});

export type ConsoleSettings = z.infer<typeof settings>;

const BOLD = "\u001B[1m";
const DIM = "\u001B[2m";
const PLAIN = "\u001B[0m";
/** Names of fields are padded to one width, but not beyond this. */
const WIDEST_NAME = 24;
/** So many lines are printed: all of a message of many notices, not all of a body that was not ours. */
const MOST_LINES = 260;

/**
 * Prints each message: the headline, and under it, indented, what else there is to say. `print` is
 * called once a message, with a line break at the end. A terminal escape in a text is impossible:
 * every line is cleaned of control characters when it is rendered and again when it is printed.
 */
export const consoleKind: ChannelKind<ConsoleSettings> = {
  kind: "console",
  settings,
  open: (_settings, { print, colours, page = () => null }) => ({
    digests: true,
    render: (notice) => printedNotice(notice, pageLink(notice, page())),
    send({ body }) {
      try {
        print(`${paint(body, colours)}\n`);
        return Promise.resolve({ status: "sent" });
      } catch {
        return Promise.resolve({ status: "retry", reason: "the output cannot be written" });
      }
    },
    close: () => Promise.resolve(),
  }),
};

/** A notice as it is printed, without colours and the line break at its end; `there`: on the daemon's page. */
export function printedNotice(notice: Notice, there: PageLink | null = null): string {
  const { headline, title, note, fields, range, recent, link, id } = notice;
  const longest = Math.max(0, ...fields.map(({ name }) => [...name].length));
  const width = Math.min(longest, WIDEST_NAME);
  const pictures = [range === null ? "" : rangePicture(range), sparkline(recent)];
  const lines = [
    title,
    note,
    ...fields.map(({ name, value }) => `${padded(name, width)}  ${value}`),
    ...pictures.flatMap((picture) => picture.split("\n")),
    link,
    there === null ? null : `${there.text}: ${webAddress(there.href) ?? ""}`,
    `notice ${id}`,
  ];
  const shown = lines.filter((line) => line !== null && line !== "");
  return [headline, ...shown.map((line) => `    ${line ?? ""}`)].map(safeLine).join("\n");
}

function padded(name: string, width: number): string {
  return name + " ".repeat(Math.max(0, width - [...name].length));
}

function paint(body: string, colours: boolean): string {
  const [headline = "", ...rest] = body.split("\n", MOST_LINES).map(safeLine);
  if (!colours) return [headline, ...rest].join("\n");
  return [`${BOLD}${headline}${PLAIN}`, ...rest.map((line) => `${DIM}${line}${PLAIN}`)].join("\n");
}
