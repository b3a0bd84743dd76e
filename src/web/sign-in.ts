import type { Context, Hono } from "hono";
import type { WebAccess } from "./access.ts";
import type { Assets } from "./page/assets.ts";
import { SignInPage } from "./page/views/sign-in.tsx";
import type { WebEnv } from "./viewer.ts";

export const SIGN_IN = "/sign-in";

/** The way in for a person: the token is typed once, never stands in an address, and leaves a cookie. */
export function serveSignIn(app: Hono<WebEnv>, access: WebAccess, assets: Assets): void {
  app.get(SIGN_IN, (c) => {
    if (access.isOpen) return c.redirect("/", 303);
    return show(c, assets, 200, null, c.req.query("next") ?? "/");
  });

  app.post(SIGN_IN, async (c) => {
    if (access.isOpen) return c.redirect("/", 303);
    if (c.req.header("sec-fetch-site") === "cross-site") {
      return c.text("another site sent this form\n", 403);
    }
    const form = await c.req.parseBody();
    const token = typeof form.token === "string" ? form.token.trim() : "";
    const next = typeof form.next === "string" ? form.next : "/";
    const came = access.signIn(c, token);
    if (came === "in") return c.redirect(ownPath(next), 303);
    if (came === "wrong") return show(c, assets, 401, "This token is not right.", next);
    c.header("retry-after", String(came.seconds));
    return show(c, assets, 429, `Too many wrong tokens. Try again in ${came.seconds} s.`, next);
  });

  app.post("/sign-out", (c) => {
    access.signOut(c);
    return c.redirect(SIGN_IN, 303);
  });
}

/** A path of this server, whatever was sent. */
function ownPath(next: string): string {
  const base = "http://own.invalid";
  if (!next.startsWith("/") || !URL.canParse(next, base)) return "/";
  const url = new URL(next, base);
  return url.origin === base ? `${url.pathname}${url.search}` : "/";
}

function show(
  c: Context<WebEnv>,
  assets: Assets,
  status: 200 | 401 | 429,
  problem: string | null,
  next: string,
): Response | Promise<Response> {
  return c.html(SignInPage({ assets, action: SIGN_IN, next: ownPath(next), problem }), status);
}
