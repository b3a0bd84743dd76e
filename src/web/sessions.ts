import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { DAY } from "../base/duration.ts";
import { keepNewest } from "../base/keep-newest.ts";
import { areSame } from "./guard.ts";

/** Who signed in stays so for that long. */
export const SESSION_MS = 7 * DAY;

export type Role = "act" | "read";

/** One that is forgotten earlier than it ends is signed out by nobody; so many are remembered. */
const MOST_ENDED = 10_000;

/**
 * Sessions of those who signed in with a token. A session is a text that only this server can make, from
 * the token: it outlasts a restart, and another token ends it. It does not hold the token.
 */
export class Sessions {
  readonly #keys: ReadonlyMap<Role, Buffer>;
  readonly #clock: Clock;
  readonly #ended = new Map<string, number>();

  /** `tokens`: by what they allow. */
  constructor(tokens: ReadonlyMap<Role, string>, clock: Clock) {
    this.#clock = clock;
    const keys = [...tokens].map(([role, token]): [Role, Buffer] => [
      role,
      createHmac("sha256", token).update("tickwatch web session 1").digest(),
    ]);
    this.#keys = new Map(keys);
  }

  begin(role: Role): string {
    const facts = `${role}.${this.#clock.now() + SESSION_MS}.${randomBytes(18).toString("base64url")}`;
    return `${facts}.${this.#sign(role, facts) ?? ""}`;
  }

  /** What a session allows; null: it is none, or it is over. */
  roleOf(session: string): Role | null {
    const found = /^(act|read)\.(\d{1,16})\.([\w-]{24})\.([\w-]{43})$/.exec(session);
    if (found === null) return null;
    const [, role, until, nonce = "", signature = ""] = found;
    if (role !== "act" && role !== "read") return null;
    const expected = this.#sign(role, `${role}.${until}.${nonce}`);
    if (expected === null || !areSame(signature, expected)) return null;
    if (Number(until) <= this.#clock.now() || this.#ended.has(nonce)) return null;
    return role;
  }

  /** Signs out. */
  end(session: string): void {
    const [, until, nonce] = session.split(".");
    if (this.roleOf(session) === null || nonce === undefined) return;
    const now = this.#clock.now();
    for (const [one, end] of this.#ended) if (end <= now) this.#ended.delete(one);
    keepNewest(this.#ended, nonce, Number(until), MOST_ENDED);
  }

  /** What a form of this session must send. */
  csrfOf(session: string): string | null {
    const [role] = session.split(".");
    return role === "act" || role === "read" ? this.#sign(role, `csrf ${session}`) : null;
  }

  #sign(role: Role, text: string): string | null {
    const key = this.#keys.get(role);
    return key === undefined ? null : createHmac("sha256", key).update(text).digest("base64url");
  }
}
