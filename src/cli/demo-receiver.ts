import { writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { isMap } from "../base/json.ts";

export interface DemoReceiver {
  readonly url: string;
  close(): Promise<void>;
}

/** A webhook that stands in for Slack: keeps each message in a folder and prints how it reads. */
export async function startDemoReceiver(options: {
  readonly folder: string;
  readonly print: (text: string) => void;
}): Promise<DemoReceiver> {
  let count = 0;
  const server = createServer((request, response) => {
    void readBody(request).then(async (body) => {
      count += 1;
      const file = join(options.folder, `${String(count).padStart(3, "0")}-slack.json`);
      await writeFile(file, `${body}\n`);
      options.print(`${drawn(body)}\n`);
      response.end("ok");
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/services/demo`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (chunk instanceof Buffer) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** The message's texts in their order, in a frame. */
function drawn(body: string): string {
  const message: unknown = JSON.parse(body);
  const blocks = isMap(message) && Array.isArray(message.blocks) ? message.blocks : [];
  const lines = blocks.flatMap(textsOf).flatMap((text) => text.split("\n"));
  const shown = lines.map(readable).filter((line) => line !== "" && line !== "```");
  return ["  ┌ lp-slack", ...shown.map((line) => `  │ ${line}`), "  └"].join("\n");
}

function textsOf(block: unknown): string[] {
  if (!isMap(block)) return [];
  const { text, fields, elements } = block;
  const own = isMap(text) && typeof text.text === "string" ? [text.text] : [];
  const pairs = Array.isArray(fields)
    ? fields.flatMap(textsOfObject).map((pair) => pair.replace("\n", ": "))
    : [];
  const notes = Array.isArray(elements) ? [elements.flatMap(textsOfObject).join(" · ")] : [];
  return [...own, ...pairs, ...notes];
}

function textsOfObject(object: unknown): string[] {
  return isMap(object) && typeof object.text === "string" ? [object.text] : [];
}

/** What a reader sees of Slack's escapes and links. */
function readable(line: string): string {
  return line
    .replace(/<([^|>]+)\|([^>]*)>/g, "$2 ($1)")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
