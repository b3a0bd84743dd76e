import type { Around } from "../parts/around.ts";
import { Layout } from "../parts/layout.tsx";

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
