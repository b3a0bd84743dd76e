import type { Alert } from "../../api/schemas/alerts.ts";
import { cut, titled } from "../format/words.ts";
import { DistanceBar } from "../pictures/bars.tsx";
import { Name } from "./blocks.tsx";

/** The bar with its words; words alone where a distance means nothing. */
export function Distance({ alert }: { readonly alert: Alert }) {
  const distance = alert.compared?.distance ?? null;
  if (distance === null) return null;
  if (distance.ratio === null) return <bdi class="dim">{cut(distance.text, 40)}</bdi>;
  return (
    <div class="dist">
      <DistanceBar severity={distance.past ? alert.severity : null} gone={distance.ratio} />
      <span {...titled(distance.text.length > 16 ? distance.text : null)}>
        <Name of={distance.text} most={40} />
      </span>
    </div>
  );
}
