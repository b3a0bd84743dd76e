import { describe, expect, it } from "vitest";
import { Secret } from "../../src/base/text.ts";
import { CHANNELS } from "../../src/channels/index.ts";
import { type DaemonPage, pageLink, pageOf } from "../../src/channels/text.ts";
import type { Notice, WebConfig } from "../../src/model/index.ts";
import { toolsOf } from "../support/channel-tools.ts";
import { noticeOf } from "../support/notices.ts";

const PAGE: DaemonPage = { url: "https://watch.example.org", acts: true };
const HOOK = new Secret("https://hooks.example.org/x");

/** What each kind of channel cannot do without. */
const SETTINGS: Readonly<Record<string, unknown>> = {
  console: {},
  slack: { url: HOOK },
  discord: { url: HOOK },
  webhook: { url: HOOK },
  telegram: { token: new Secret("123456:ABC-DEF1234"), chat_id: "7" },
  email: { smtp: new Secret("smtp://127.0.0.1"), from: "a@example.org", to: ["b@example.org"] },
  pagerduty: { routing_key: new Secret("0123456789abcdef") },
  alertmanager: { url: "http://127.0.0.1:9093" },
};

function rendered(kind: string, notice: Notice, page: DaemonPage | null): string {
  const known = CHANNELS.get(kind);
  if (known === undefined) throw new Error(`no kind ${kind}`);
  const channel = known.open(known.settings.parse(SETTINGS[kind]), {
    ...toolsOf(),
    page: () => page,
  });
  // Signs that one kind or another quotes.
  return channel.render(notice).replaceAll("&amp;", "&");
}

describe("a message of a daemon with a page", () => {
  const notice = noticeOf({ rule: "tips & <more>", subject: "gas:1" });
  const address = "https://watch.example.org/alert?rule=tips+%26+%3Cmore%3E&subject=gas%3A1";

  it.each([...CHANNELS.keys()])("leads to the page of its alert: %s", (kind) => {
    expect(rendered(kind, notice, PAGE)).toContain(address);
  });

  it.each([...CHANNELS.keys()])("leads nowhere where no address is written: %s", (kind) => {
    expect(rendered(kind, notice, null)).not.toContain("watch.example.org");
    expect(rendered(kind, notice, null)).not.toMatch(/Details|Acknowledge/);
  });

  it.each([...CHANNELS.keys()])("leaves out an address that has no room: %s", (kind) => {
    const long = noticeOf({ rule: "ä".repeat(200), subject: "gas:1" });
    expect(rendered(kind, long, PAGE)).not.toContain("watch.example.org");
  });
});

describe("the place of a notice on the page", () => {
  it.each([
    [{ kind: "fired", rule: "tips", subject: "gas:1" }, "/alert?rule=tips&subject=gas%3A1"],
    [{ kind: "fired", rule: "tips", subject: null }, "/rule?name=tips"],
    [{ kind: "fired", rule: null, subject: null }, "/"],
    [{ kind: "rule_removed", rule: "tips", subject: "gas:1" }, "/"],
    [{ kind: "source_down", rule: null, subject: "v4_pool" }, "/source"],
    [{ kind: "self", rule: null, subject: "channel:lp-slack" }, "/channels"],
    [{ kind: "self", rule: null, subject: "store" }, "/"],
  ] as const)("%j", (given, place) => {
    expect(pageLink(noticeOf(given), PAGE)?.href).toBe(PAGE.url + place);
  });

  it("offers to act only where something can be done, and may be", () => {
    expect(pageLink(noticeOf({ kind: "fired" }), PAGE)?.text).toBe("Acknowledge or silence");
    expect(pageLink(noticeOf({ kind: "resolved" }), PAGE)?.text).toBe("Details");
    expect(pageLink(noticeOf({ kind: "fired" }), { ...PAGE, acts: false })?.text).toBe("Details");
  });
});

describe("the page of a configuration", () => {
  const web: WebConfig = {
    host: "127.0.0.1",
    port: 9464,
    token: null,
    readOnlyToken: null,
    hosts: [],
    url: PAGE.url,
    page: true,
    actions: true,
  };

  it("is one only where it is served and its address is written", () => {
    expect(pageOf({ web })).toEqual(PAGE);
    expect(pageOf({ web: { ...web, url: null } })).toBeNull();
    expect(pageOf({ web: { ...web, page: false } })).toBeNull();
    expect(pageOf({ web: null })).toBeNull();
  });
});
