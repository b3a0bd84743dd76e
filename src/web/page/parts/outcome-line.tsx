import type { Viewer } from "../../viewer.ts";
import type { Outcome } from "../outcomes.ts";
import { Mark } from "../sprite.tsx";
import { Csrf } from "./forms.tsx";

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
          <Csrf viewer={viewer} />
          <input type="hidden" name="body" value={JSON.stringify(undo.body)} />
          <input type="hidden" name="back" value={outcome.back} />
          <button type="submit">Undo</button>
        </form>
      )}
    </div>
  );
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
