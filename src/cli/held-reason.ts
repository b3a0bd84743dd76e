import { matches } from "../delivery/suppress/hold.ts";
import { mutedUntil } from "../delivery/suppress/mute.ts";
import type { Setup, Silence } from "../model/index.ts";
import type { OutboxEntry } from "../store/operator-db/outbox-view.ts";
import { openSilenceDesk } from "../store/operator-db/silence-desk.ts";

/** Why entries of the outbox are held back at `now`: by which silences, or by a mute. */
export interface HeldReasons {
  /** `silence 3`, `mute`; both may be. Empty: nothing holds it any more, and it is told soon. */
  of(entry: OutboxEntry): readonly string[];
}

/** Reads the silences of the setup's database. Throws StoreError. */
export async function heldReasons(setup: Setup, now: number): Promise<HeldReasons> {
  const desk = await openSilenceDesk(setup.store, false);
  const silences = desk?.all().filter((one) => isInForce(one, now)) ?? [];
  desk?.close();
  const rules = new Map(setup.rules.map((rule) => [rule.name, rule]));
  return {
    of({ channel, notices: [notice] }) {
      if (notice === undefined || notice.rule === null) return [];
      const lists = rules.get(notice.rule)?.mutes.get(channel) ?? [];
      return [
        ...silences.filter((one) => matches(one, notice)).map(({ id }) => `silence ${id}`),
        ...(mutedUntil(lists, now) === null ? [] : ["mute"]),
      ];
    },
  };
}

function isInForce({ startsAt, endsAt }: Silence, now: number): boolean {
  return startsAt <= now && now < endsAt;
}
