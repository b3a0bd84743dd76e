import type { SilenceList } from "../../api/schemas/operations.ts";
import type { Around } from "../context.ts";
import { cut, grouped } from "../format/words.ts";
import { Name, Section } from "../parts/blocks.tsx";
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
    <Section
      id="silences"
      anchor
      title="Silences"
      count={grouped(silences.silences.length)}
      say={<a href="/silence">New silence</a>}
    >
      {silences.silences.length === 0 ? (
        <Nothing what="No silence is in force." say="Everything that fires is told." mark="check" />
      ) : (
        <ul class="rows">
          {silences.silences.map((one) => (
            <li class="row">
              <Mark name="silenced" />
              <div>
                <p class="say">
                  <Name as="b" of={one.about} most={200} />
                </p>
                <p class="meta">
                  <span>
                    silence {one.id} by <Name of={one.by} most={60} />
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
                    around={around}
                    action="silence-end"
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
    </Section>
  );
}
