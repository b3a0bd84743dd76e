import type { Child } from "hono/jsx";
import type { Around } from "../context.ts";
import { Layout } from "../parts/layout.tsx";
import { Mark, type MarkName } from "../sprite.tsx";

/** No rules: what to do, in three steps. */
export function Empty() {
  return (
    <div class="empty">
      <h1>No rules yet</h1>
      <p class="lede">
        tickwatch runs, and has nothing to watch. Three steps, and this page fills by itself.
      </p>
      <ol>
        <li>
          <div>
            <h2>Take a rule to start from</h2>
            <p>
              The folder <span class="mono">rules/</span> has some for liquidity providers, traders
              and treasuries.
            </p>
            <pre tabindex={0}>
              {"cp config.example.yaml config.yaml\n$EDITOR config.yaml rules/lp.yaml"}
            </pre>
          </div>
        </li>
        <li>
          <div>
            <h2>See what it says</h2>
            <p>Every mistake with line and column, and each rule in one sentence.</p>
            <pre tabindex={0}>tickwatch check --online</pre>
          </div>
        </li>
        <li>
          <div>
            <h2>Start it again</h2>
            <p>Rules are read at the start. The first values stand here within a minute.</p>
            <pre tabindex={0}>tickwatch run</pre>
          </div>
        </li>
      </ol>
    </div>
  );
}

interface NothingProps {
  /** What is not there. */
  readonly what: string;
  /** What to do about it. */
  readonly say: string;
  readonly mark?: MarkName;
  readonly children?: Child;
}

/** An empty place: why it is empty and what to do. */
export function Nothing({ what, say, mark = "ok", children }: NothingProps) {
  return (
    <ul class="rows">
      <li class="row">
        <Mark name={mark} />
        <div>
          <p class="say">
            <b>{what}</b> {say}
          </p>
        </div>
        <span />
        <div class="side">{children}</div>
      </li>
    </ul>
  );
}

interface MissingProps {
  readonly around: Around;
  readonly what: string;
  readonly say: string;
}

/** What was asked for is not there. */
export function MissingPage({ around, what, say }: MissingProps) {
  return (
    <Layout around={around} current="" title={what}>
      <div class="empty">
        <h1>{what}</h1>
        <p class="lede">{say}</p>
        <p>
          <a href="/">Back to the overview</a>
        </p>
      </div>
    </Layout>
  );
}
