import type { Alert } from "../../api/schemas/alerts.ts";
import { cut } from "../format/words.ts";
import { DistanceBar } from "../pictures/bars.tsx";

/** The bar with its words; words alone where a distance means nothing. */
export function Distance({ alert }: { readonly alert: Alert }) {
  const distance = alert.compared?.distance ?? null;
  if (distance === null) return null;
  if (distance.ratio === null) return <bdi>{cut(distance.text, 40)}</bdi>;
  return (
    <div class="dist">
      <DistanceBar
        title="Distance to the limit"
        desc={`${cut(alert.name)}: ${distance.text}`}
        severity={distance.past ? alert.severity : null}
        gone={distance.ratio}
      />
      <span>
        <bdi>{cut(distance.text, 40)}</bdi>
      </span>
    </div>
  );
}
