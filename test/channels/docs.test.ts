import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { CHANNELS } from "../../src/channels/index.ts";
import { webhookBody } from "../../src/channels/webhook.ts";
import { NOTICE_KINDS } from "../../src/model/index.ts";
import { sampleNotice } from "../../src/operate/sample-notice.ts";

const PAGE = readFileSync(new URL("../../docs/channels.md", import.meta.url), "utf8");

/** The part of the page below a heading of the second level. */
function section(name: string): string {
  return PAGE.split(/^## /m).find((part) => part.startsWith(`${name}\n`)) ?? "";
}

/** The words in the first column of a section's first table whose head begins as given. */
function column(text: string, head: string): string[] {
  const [, table = ""] = text.split(`\n| ${head} |`);
  const [rows = ""] = table.split("\n\n");
  return rows
    .split("\n")
    .slice(2)
    .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map((m) => m[1] ?? ""));
}

describe("docs/channels.md", () => {
  it("has a section for each kind of channel, with all of its settings and no other", () => {
    for (const [name, kind] of CHANNELS) {
      const settings: unknown = kind.settings;
      const keys = settings instanceof z.ZodObject ? Object.keys(settings.shape) : [];
      expect(section(name)).not.toBe("");
      expect(column(section(name), "key").toSorted()).toEqual(keys.toSorted());
    }
  });

  const json = /```json\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? "";

  it("shows what a webhook is posted", () => {
    const body = webhookBody(sampleNotice("changed", Date.UTC(2026, 10, 27, 15, 6)));
    const posted: unknown = JSON.parse(JSON.stringify(body));
    expect(JSON.parse(json)).toEqual(posted);
  });

  it("explains every key of it, and names every kind", () => {
    const [, meaning = ""] = section("webhook").split(json);
    const explained = column(`\n${meaning}`, "key");
    expect(explained.toSorted()).toEqual(Object.keys(JSON.parse(json) as object).toSorted());
    for (const kind of NOTICE_KINDS) expect(meaning).toContain(`\`${kind}\``);
  });

  it("verifies a signature, and refuses a forged and an old one", async () => {
    const code = /```js\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? "";
    const module = `data:text/javascript,${encodeURIComponent(`${code}\nexport { isGenuine };`)}`;
    const { isGenuine } = (await import(module)) as {
      isGenuine: (header: string, body: string, secret: string) => boolean;
    };
    const header = (time: number): string => {
      const mac = createHmac("sha256", "key").update(`${time}.{}`).digest("hex");
      return `t=${time},v1=${mac}`;
    };
    const now = Math.floor(Date.now() / 1_000);
    expect(isGenuine(header(now), "{}", "key")).toBe(true);
    expect(isGenuine(header(now), "{} ", "key")).toBe(false);
    expect(isGenuine(header(now), "{}", "other")).toBe(false);
    expect(isGenuine(header(now - 3_600), "{}", "key")).toBe(false);
    expect(isGenuine("", "{}", "key")).toBe(false);
  });
});
