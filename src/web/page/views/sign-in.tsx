import type { Assets } from "../assets.ts";
import { Brand, Document } from "../parts/layout.tsx";
import { Mark } from "../sprite.tsx";

interface SignInProps {
  readonly assets: Assets;
  readonly action: string;
  /** Where it leads then. */
  readonly next: string;
  readonly problem: string | null;
}

/** The way in: the token is typed here and stands in no address. */
export function SignInPage({ assets, action, next, problem }: SignInProps) {
  return (
    <Document assets={assets} title="Sign in · tickwatch">
      <header class="top">
        <Brand />
      </header>
      <main id="main">
        <section class="card pad signin" aria-labelledby="h-sign-in">
          <h1 id="h-sign-in">Sign in</h1>
          <form class="form" method="post" action={action}>
            <input type="hidden" name="next" value={next} />
            <label>
              Token
              <input
                type="password"
                name="token"
                autocomplete="current-password"
                required
                autofocus
                {...(problem === null
                  ? {}
                  : { "aria-invalid": "true", "aria-describedby": "problem" })}
              />
            </label>
            {problem !== null && (
              <p class="err" id="problem" role="alert">
                <Mark name="broken" tone="critical" />
                {problem}
              </p>
            )}
            <p class="hint">
              The token under <span class="mono">web.token</span>, or{" "}
              <span class="mono">web.read_only_token</span> to look only.
            </p>
            <div class="presets">
              <button type="submit" class="go">
                Sign in
              </button>
            </div>
          </form>
        </section>
      </main>
    </Document>
  );
}
