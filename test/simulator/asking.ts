import { expect } from "vitest";
import { DEMO_KEY } from "../../src/serve/server.ts";

export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

/** Asks the service at `baseUrl()` over HTTP; with `key` null without a key. */
export function askerOf(baseUrl: () => string) {
  async function ask(path: string, init: RequestInit = {}, key: string | null = DEMO_KEY) {
    const headers: Record<string, string> = key === null ? {} : { "x-api-key": key };
    const response = await fetch(baseUrl() + path, { headers, ...init });
    const reply: Reply = {
      status: response.status,
      body: await response.json(),
      headers: response.headers,
    };
    return reply;
  }

  async function records(path: string): Promise<readonly Record<string, unknown>[]> {
    const { status, body } = await ask(path);
    expect(status).toBe(200);
    expect(Array.isArray(body)).toBe(true);
    return body as Record<string, unknown>[];
  }

  return { ask, records };
}

/** `400 bad_value`: the status and the code of an error body of exactly the documented shape. */
export function fault({ status, body, headers }: Reply): string {
  const { error } = body as { error: { code: string; message: string } };
  expect(body).toEqual({ error: { code: error.code, message: expect.stringMatching(/./) } });
  expect(headers.get("content-type")).toMatch(/^application\/json/);
  return `${status} ${error.code}`;
}
