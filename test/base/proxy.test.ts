import { describe, expect, it } from "vitest";
import { proxiesFrom } from "../../src/base/network.ts";

const LOOPBACK = "localhost,127.0.0.1,[::1]";

describe("the proxies of the environment", () => {
  it.each([
    [{}, null],
    [{ HTTP_PROXY: "" }, null],
    [{ HTTP_PROXY: "nonsense://x", HTTPS_PROXY: "http://" }, null],
    [{ NO_PROXY: "x.org" }, null],
    // What is set in small letters counts, also where it is empty.
    [{ http_proxy: "", HTTP_PROXY: "http://p:1" }, null],
  ])("are none in %j", (env, expected) => {
    expect(proxiesFrom(env)).toBe(expected);
  });

  it("are taken as they are called everywhere", () => {
    expect(proxiesFrom({ HTTP_PROXY: "http://p:1", https_proxy: "https://u:p@q:2/" })).toEqual({
      httpProxy: "http://p:1",
      httpsProxy: "https://u:p@q:2/",
      noProxy: LOOPBACK,
    });
    expect(proxiesFrom({ http_proxy: " p:3128 ", no_proxy: "a.org, .b.org c" })).toEqual({
      httpProxy: "http://p:3128",
      httpsProxy: "http://p:3128",
      noProxy: `a.org,.b.org,c,${LOOPBACK}`,
    });
    expect(proxiesFrom({ HTTPS_PROXY: "http://q:2", NO_PROXY: "a,*" })).toEqual({
      httpProxy: "",
      httpsProxy: "http://q:2",
      noProxy: "*",
    });
  });
});
