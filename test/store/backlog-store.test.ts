import { expect, it } from "vitest";
import { NO_CHANGE } from "../../src/model/index.ts";
import { storeWith } from "../../src/store/backlog-store.ts";
import { backlogOf } from "../../src/store/rows.ts";
import { createMemoryStore } from "../support/memory-store.ts";
import { noticeOf } from "../support/notices.ts";

it("what one of several daemons keeps of the outbox is what its own channels are owed", async () => {
  const store = createMemoryStore();
  await store.commit({
    ...NO_CHANGE,
    notices: [
      { notice: noticeOf({ id: "both" }), channels: ["slack", "mail"] },
      { notice: noticeOf({ id: "sent" }), channels: ["mail"] },
      { notice: noticeOf({ id: "held" }), channels: ["slack", "mail"] },
    ],
  });
  const message = { id: "m", channel: "mail", notices: ["sent"], body: "its body", attempts: 1 };
  await store.freeze(message, 0);
  for (const channel of ["slack", "mail"]) await store.hold(channel, ["held"], 1_000);
  const own = await storeWith(backlogOf(await store.backlog(), (channel) => channel === "slack"));
  expect(await own.owed()).toEqual(new Map([["slack", 2]]));
  expect(await own.claim("slack", 0)).toMatchObject({ notices: [{ id: "both" }] });
  expect(await own.claim("mail", 0)).toEqual({ kind: "idle", until: null });
});
