import type { Viewer } from "../../viewer.ts";
import { capital } from "../format/words.ts";
import type { Outcome } from "../outcomes.ts";
import { Mark } from "../sprite.tsx";
import { Hidden } from "./forms.tsx";

interface OutcomeProps {
  readonly outcome: Outcome;
  readonly viewer: Viewer;
}

/** What was done, on top of the page, with the way back. */
export function OutcomeLine({ outcome, viewer }: OutcomeProps) {
  if (!outcome.ok) {
    return (
      <div class="did not" role="alert">
        <Mark name="broken" />
        <span>{outcome.problem}</span>
      </div>
    );
  }
  const { sentence, undo } = outcome.done;
  return (
    <div class="did" role="status">
      <Mark name="check" />
      <span>{capital(sentence)}</span>
      {undo !== null && (
        <form method="post" action={`/actions/${encodeURIComponent(undo.action)}`}>
          <Hidden
            viewer={viewer}
            fields={{ body: JSON.stringify(undo.body), back: outcome.back }}
          />
          <button type="submit">Undo</button>
        </form>
      )}
    </div>
  );
}
