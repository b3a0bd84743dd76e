import { fetch } from "undici";
import { describe, expect, it } from "vitest";
import { fetchPortTrouble, oddPair, portTrouble } from "../../src/base/network.ts";

/** Whether the client that channels and the heartbeat use says that it never connects to a port. */
async function isBlocked(port: number): Promise<boolean> {
  // Nobody answers there: whoever is not refused at once is interrupted.
  const cause = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(500) }).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.cause : null),
  );
  return cause instanceof Error && cause.message === "bad port";
}

const at = (port: number): URL => new URL(`http://127.0.0.1:${port}/`);

describe("ports", () => {
  it("that are refused are those that fetch never connects to", async () => {
    const ports = Array.from({ length: 11_000 }, (_, port) => port + 1);
    const refused = ports.filter((port) => fetchPortTrouble(at(port)) !== null);
    expect(refused).toContain(6000);
    const neighbours = new Set(refused.flatMap((port) => [port - 1, port, port + 1]));
    neighbours.delete(0);
    const blocked: number[] = [];
    for (const port of neighbours) if (await isBlocked(port)) blocked.push(port);
    expect(blocked.toSorted((a, b) => a - b)).toEqual(refused);
  });

  it("on which nothing can listen are refused for every client", () => {
    expect(portTrouble(at(0))).not.toBeNull();
    expect(fetchPortTrouble(at(0))).not.toBeNull();
    expect(portTrouble(at(6000))).toBeNull();
    expect(fetchPortTrouble(new URL("https://example.org/"))).toBeNull();
  });

  it.each([
    ["smtps://mail.example.org:587", "smtp:// at 587, or smtps:// at 465"],
    ["smtps://u:p@mail.example.org:25", "smtp:// at 25, or smtps:// at 465"],
    ["smtp://mail.example.org:465", "smtps:// at 465, or smtp:// at 587"],
    ["https://hook.example.org:80/x", "https:// at 443"],
    ["http://hook.example.org:443/x", "https:// at 443"],
    ["smtps://mail.example.org", null],
    ["smtps://mail.example.org:465", null],
    ["smtp://mail.example.org:587", null],
    ["smtp://mail.example.org:25", null],
    ["smtps://mail.example.org:10465", null],
    ["https://hook.example.org:443/x", null],
    ["http://hook.example.org:80/x", null],
    ["no address", null],
  ])("of %s go with the scheme, or what would is named", (address, expected) => {
    expect(oddPair(address)?.expected ?? null).toBe(expected);
  });
});
