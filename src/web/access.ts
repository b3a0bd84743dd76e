import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import type { Clock } from "../base/clock.ts";
import type { WebConfig } from "../model/index.ts";
import { WrongTokens } from "./attempts.ts";
import { areSame, bearerOf } from "./guard.ts";
import { type Role, SESSION_MS, Sessions } from "./sessions.ts";
import type { Viewer, WebEnv } from "./viewer.ts";

/** Who a request is of, or why it is not answered. */
export type Entry =
  | { readonly viewer: Viewer; readonly by: "bearer" | "session" | "anyone" }
  | { readonly refused: "token" };

/** What came of a try to sign in. */
export type SignIn = "in" | "wrong" | { readonly seconds: number };

/**
 * Who may look and who may act. Without a token everybody who reaches the address may look; that is on
 * loopback only. With one it is sent as a bearer, or once to sign in.
 */
export class WebAccess {
  readonly #tokens: ReadonlyMap<Role, string>;
  readonly #mayAct: boolean;
  readonly #sessions: Sessions;
  readonly #wrong: WrongTokens;
  readonly #secure: boolean;
  /** Without a session: what only a page of this very server can have read. */
  readonly #csrf = randomBytes(24).toString("base64url");

  constructor(config: WebConfig, clock: Clock) {
    const tokens = new Map<Role, string>();
    if (config.token !== null) tokens.set("act", config.token.reveal());
    if (config.readOnlyToken !== null) tokens.set("read", config.readOnlyToken.reveal());
    this.#tokens = tokens;
    this.#mayAct = config.actions;
    this.#secure = config.url?.startsWith("https:") === true;
    this.#sessions = new Sessions(tokens, clock);
    this.#wrong = new WrongTokens(clock);
  }

  /** Whether anybody has to show a token. */
  get isOpen(): boolean {
    return this.#tokens.size === 0;
  }

  enter(c: Context<WebEnv>): Entry {
    const { incoming } = c.env;
    const bearer = bearerOf(incoming);
    if (this.isOpen) {
      const by = "anyone";
      return {
        by,
        viewer: this.#viewer(this.#mayAct ? "act" : "read", this.#csrf, false, addressOf(incoming)),
      };
    }
    if (bearer !== null) {
      const role = this.#roleOf(bearer);
      if (role === null) return { refused: "token" };
      return { by: "bearer", viewer: this.#viewer(role, null, false, "token") };
    }
    const session = getCookie(c, this.#cookieName(incoming));
    const role = session === undefined ? null : this.#sessions.roleOf(session);
    if (session === undefined || role === null) return { refused: "token" };
    const csrf = this.#sessions.csrfOf(session);
    const who = addressOf(incoming);
    return { by: "session", viewer: this.#viewer(role, csrf, true, who) };
  }

  /** Whether what a form or a script sends along shows that a page of this server made it. */
  hasCsrf(viewer: Viewer, sent: string): boolean {
    return viewer.csrf !== null && areSame(sent, viewer.csrf);
  }

  signIn(c: Context<WebEnv>, token: string): SignIn {
    const { incoming } = c.env;
    const address = addressOf(incoming);
    const seconds = this.#wrong.waitOf(address);
    if (seconds !== null) return { seconds };
    const role = this.#roleOf(token);
    if (role === null) {
      this.#wrong.wrong(address);
      return "wrong";
    }
    this.#setCookie(c, this.#sessions.begin(role), Math.floor(SESSION_MS / 1_000));
    return "in";
  }

  signOut(c: Context<WebEnv>): void {
    const session = getCookie(c, this.#cookieName(c.env.incoming));
    if (session !== undefined) this.#sessions.end(session);
    this.#setCookie(c, "", 0);
  }

  #setCookie(c: Context<WebEnv>, value: string, maxAge: number): void {
    setCookie(c, this.#cookieName(c.env.incoming), value, {
      path: "/",
      httpOnly: true,
      sameSite: "Strict",
      secure: this.#secure,
      maxAge,
    });
  }

  /** Browsers send cookies to every port of a host: two daemons there must not take each other's. */
  #cookieName({ socket }: IncomingMessage): string {
    const name = `tickwatch_${socket.localPort ?? 0}`;
    return this.#secure ? `__Host-${name}` : name;
  }

  /** All are compared, so that the time says nothing. */
  #roleOf(token: string): Role | null {
    let found: Role | null = null;
    for (const [role, expected] of this.#tokens) {
      if (areSame(token, expected)) found ??= role;
    }
    return found;
  }

  #viewer(role: Role, csrf: string | null, signedIn: boolean, by: string): Viewer {
    const mayAct = role === "act" && this.#mayAct;
    return { by, mayAct, whyNot: mayAct ? null : this.#whyNot(role), csrf, signedIn };
  }

  #whyNot(role: Role): string {
    if (this.isOpen)
      return "nobody may act here: write `actions: true` under `web`, or give a `token`";
    if (role === "read") return "you signed in with `read_only_token`, which only looks";
    return "`actions: false` is written under `web`";
  }
}

/** Of whom a request is, as far as the connection tells; behind a proxy it is the proxy. */
function addressOf({ socket }: IncomingMessage): string {
  return (socket.remoteAddress ?? "unknown").replace(/^::ffff:(?=\d+\.)/, "");
}
