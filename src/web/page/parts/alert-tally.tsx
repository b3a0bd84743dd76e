import type { Alert } from "../../api/schemas/alerts.ts";
import { alertPath, cut, markOf } from "../format/words.ts";
import { Mark } from "../sprite.tsx";

/** The alerts under a page's heading: the mark, rule and state of each, as a link to it. */
export function AlertTally({ alerts }: { readonly alerts: readonly Alert[] }) {
  return (
    <p class="tally" data-live="tally">
      {alerts.map((alert) => {
        const { name, tone } = markOf(alert);
        return (
          <a href={alertPath(alert)}>
            <Mark name={name} tone={tone} />
            <span class="mono">
              <bdi>{cut(alert.rule, 40)}</bdi>
            </span>{" "}
            {alert.state}
          </a>
        );
      })}
    </p>
  );
}
