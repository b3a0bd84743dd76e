import type { AlertList } from "../../api/schemas/alerts.ts";
import { alertPath, cut, rulePath } from "../format/words.ts";
import { Distance } from "../parts/distance.tsx";

const SHOWN = 6;

/** The alerts that would fire next; only where all of them are known, since others could be nearer. */
export function Nearest({ alerts }: { readonly alerts: AlertList }) {
  if (alerts.alerts.length < alerts.total) return null;
  const near = alerts.alerts
    .filter(({ compared }) => typeof compared?.distance?.ratio === "number")
    .toSorted((a, b) => (b.compared?.distance?.ratio ?? 0) - (a.compared?.distance?.ratio ?? 0))
    .slice(0, SHOWN);
  if (near.length === 0) return null;
  return (
    <section class="sec" aria-labelledby="h-near">
      <header>
        <h2 id="h-near">Nearest to their limits</h2>
        <p>those that would fire next; the tick is the limit</p>
      </header>
      <div class="card pad">
        <ul class="near">
          {near.map((alert) => (
            <li>
              <span>
                <a class="plain" href={alertPath(alert)}>
                  <b>
                    <bdi>{cut(alert.name)}</bdi>
                  </b>
                </a>
                <br />
                <a class="mono" href={rulePath(alert.rule)}>
                  <bdi>{cut(alert.rule, 40)}</bdi>
                </a>
              </span>
              <Distance alert={alert} />
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
