import type { AlertList } from "../../api/schemas/alerts.ts";
import { alertPath } from "../format/words.ts";
import { Name, RuleLink, Section } from "../parts/blocks.tsx";
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
    <Section
      id="near"
      title="Nearest to their limits"
      say="those that would fire next; the tick is the limit"
    >
      <div class="card pad">
        <ul class="near">
          {near.map((alert) => (
            <li>
              <span>
                <a class="plain" href={alertPath(alert)}>
                  <Name as="b" of={alert.name} />
                </a>
                <br />
                <RuleLink rule={alert.rule} most={40} />
              </span>
              <Distance alert={alert} />
            </li>
          ))}
        </ul>
      </div>
    </Section>
  );
}
