import type { SilenceList } from "../../api/schemas/operations.ts";
import { cut, grouped } from "../format/words.ts";
import type { Around } from "../parts/around.ts";
import { Action } from "../parts/forms.tsx";
import { When } from "../parts/time.tsx";
import { Mark } from "../sprite.tsx";
import { Nothing } from "./empty.tsx";

/** The silences in force and planned, each with who made it, why, and until when. */
export function Silences({
  silences,
  around,
}: {
  readonly silences: SilenceList;
  readonly around: Around;
}) {
  return (
    <section class="sec" id="silences" aria-labelledby="h-silences">
      <header>
        <h2 id="h-silences">
          Silences <span class="cnt">{grouped(silences.silences.length)}</span>
        </h2>
        <p>
          <a href="/silence">New silence</a>
        </p>
      </header>
      {silences.silences.length === 0 ? (
        <Nothing what="No silence is in force." say="Everything that fires is told." mark="check" />
      ) : (
        <ul class="rows">
          {silences.silences.map((one) => (
            <li class="row">
              <Mark name="silenced" />
              <div>
                <p class="say">
                  <b>
                    <bdi>{cut(one.about, 200)}</bdi>
                  </b>
                </p>
                <p class="meta">
                  <span>
                    silence {one.id} by <bdi>{cut(one.by, 60)}</bdi>
                    {one.comment !== null && `: ${cut(one.comment, 200)}`}
                  </span>
                </p>
              </div>
              <div class="wait">
                {one.state === "planned" && (
                  <>
                    from <When at={one.starts_at} now={around.now} />{" "}
                  </>
                )}
                until <When at={one.ends_at} now={around.now} />
              </div>
              <div class="side">
                <div class="acts">
                  <Action
                    viewer={around.viewer}
                    action="silence-end"
                    back={around.here}
                    fields={{ id: String(one.id) }}
                    word="End silence"
                    of={String(one.id)}
                  />
                </div>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
