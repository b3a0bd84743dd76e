import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { httpClient } from "../../src/channels/http-channel.ts";
import { askFor } from "../fetch/asks.ts";
import { ask, closeAll, open, sourceAt } from "../fetch/families.ts";
import { json } from "../fetch/fault-server.ts";
import { goodAnswer } from "../fetch/good-answer.ts";
import { makeCertificate } from "../support/certificate.ts";
import { type ForwardProxy, forwardProxy } from "../support/forward-proxy.ts";

const closing: (() => Promise<unknown>)[] = [];
const ASK = askFor("gas_hour");
const signal = new AbortController().signal;

beforeEach(() => {
  for (const name of ["http_proxy", "https_proxy", "no_proxy", "HTTPS_PROXY", "NO_PROXY"]) {
    vi.stubEnv(name, undefined);
  }
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await closeAll();
  for (const close of closing.splice(0)) await close();
});

const good = JSON.stringify(goodAnswer({ endpoint: "gas_hourly", asks: [ASK] }));

/** A service and receivers over HTTP and over TLS, behind a proxy that is in the environment. */
async function world(refusal: number | null = null): Promise<ForwardProxy> {
  const plain = await open((_, response) => json(response, JSON.parse(good)));
  const secure: Server = createServer(makeCertificate(Date.now()), (_, response) => {
    response.end(good);
  });
  await new Promise<void>((resolve) => {
    secure.listen(0, "127.0.0.1", resolve);
  });
  closing.push(() => {
    secure.closeAllConnections();
    return new Promise((resolve) => {
      secure.close(resolve);
    });
  });
  const { port } = secure.address() as AddressInfo;
  const proxy = await forwardProxy(Number(new URL(plain.url).port), port, refusal);
  closing.push(() => proxy.close());
  vi.stubEnv("HTTP_PROXY", proxy.url.replace("http://", "http://me:p%40ss@"));
  // The certificate of the host behind the tunnel is our own.
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
  return proxy;
}

describe("a proxy in the environment", () => {
  it("is used by the source, over HTTP as over TLS", async () => {
    const proxy = await world();
    for (const [url, way] of [
      ["http://service.test/data", "GET http://service.test/data/v1/gas/blocks/hourly?"],
      ["https://service.test:8443", "CONNECT service.test:8443"],
      ["https://service.test", "CONNECT service.test:443"],
    ] as const) {
      const [answer] = await ask(sourceAt(url, null), [ASK]);
      expect(answer).toMatchObject({ status: "ok" });
      expect(proxy.asked.at(-1)).toContain(way);
    }
    const login = `Basic ${Buffer.from("me:p@ss").toString("base64")}`;
    expect(proxy.headers.map((one) => one["proxy-authorization"])).toEqual([login, login, login]);
    // The key is for the service alone.
    expect(proxy.headers.map((one) => one["x-api-key"] !== undefined)).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("is used by the client of the channels and of the heartbeat in the same way", async () => {
    const proxy = await world();
    const client = httpClient();
    closing.push(() => client.close());
    const question = { headers: {}, limitBytes: 100 };
    for (const url of ["http://receiver.test/a?b=1", "https://receiver.test/a"]) {
      expect(await client.get({ url, ...question }, signal)).toMatchObject({ status: 200 });
      expect(await client.post({ url, headers: {}, body: "{}" }, signal)).toMatchObject({
        status: 200,
      });
    }
    expect([...new Set(proxy.asked)]).toEqual([
      "GET http://receiver.test/a?b=1",
      "POST http://receiver.test/a?b=1",
      "CONNECT receiver.test:443",
    ]);
  });

  it("is not used for this machine, nor for what NO_PROXY names", async () => {
    const proxy = await world();
    const server = await open((_, response) => json(response, JSON.parse(good)));
    vi.stubEnv("no_proxy", "elsewhere.test .service.test");
    const [near, named] = await Promise.all(
      [server.url, "http://a.service.test"].map(async (url) => ask(sourceAt(url, null), [ASK])),
    );
    expect(near).toMatchObject([{ status: "ok" }]);
    expect(named).toMatchObject([{ status: "failed" }]);
    const client = httpClient();
    closing.push(() => client.close());
    await client.get({ url: server.url, headers: {}, limitBytes: 10 }, signal);
    expect(proxy.asked).toEqual([]);
  });

  it.each([403, 407])(
    "that refuses with %i is told of, without its address or the key",
    async (status) => {
      await world(status);
      for (const url of ["http://service.test", "https://service.test"]) {
        const [answer] = await ask(sourceAt(url, null), [ASK]);
        expect(answer?.status).toBe("failed");
        const text = JSON.stringify(answer);
        expect(text).not.toMatch(/p%40ss|p@ss|twk_|127\.0\.0\.1/);
        if (status === 407 || url.startsWith("https")) expect(text).toContain("the proxy");
      }
    },
  );
});
