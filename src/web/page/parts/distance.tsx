import type { Alert } from "../../api/schemas/alerts.ts";
import { alertPath, cut, markOf, titled } from "../format/words.ts";
import { DistanceBar } from "../pictures/bars.tsx";
import { Mark } from "../sprite.tsx";
import { Name } from "./blocks.tsx";

/** The bar with its words; words alone where a distance means nothing. */
export function Distance({ alert }: { readonly alert: Alert }) {
  const distance = alert.compared?.distance ?? null;
  if (distance === null) return null;
  if (distance.ratio === null) return <bdi class="dim">{cut(distance.text, 40)}</bdi>;
  return (
    <div class="dist">
      <DistanceBar severity={distance.past ? alert.severity : null} ratio={distance.ratio} />
      <span {...titled(distance.text.length > 16 ? distance.text : null)}>
        <Name of={distance.text} most={40} />
      </span>
    </div>
  );
}

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
