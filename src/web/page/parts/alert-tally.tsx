import type { Alert } from "../../api/schemas/alerts.ts";
import { alertPath, markOf } from "../format/words.ts";
import { Mark } from "../sprite.tsx";
import { Name } from "./blocks.tsx";

/** The alerts under a page's heading: the mark, rule and state of each, as a link to it. */
export function AlertTally({ alerts }: { readonly alerts: readonly Alert[] }) {
  return (
    <p class="tally" data-live="tally">
      {alerts.map((alert) => {
        const { name, tone } = markOf(alert);
        return (
          <a href={alertPath(alert)}>
            <Mark name={name} tone={tone} />
            <Name as="span" class="mono" of={alert.rule} most={40} /> {alert.state}
          </a>
        );
      })}
    </p>
  );
}
