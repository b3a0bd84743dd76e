import type { Setup } from "../../model/index.ts";
import type { Phone, PhoneParts } from "./phone-parts.ts";

/** What is not asked for costs nothing: its code is loaded with the first chat that may give commands. */
export async function openPhone(setup: Setup, parts: PhoneParts): Promise<Phone> {
  let reading: Phone | null = null;
  const follow = async (next: Setup): Promise<void> => {
    if (reading !== null) await reading.follow(next);
    else if (hasCommands(next)) {
      const { startPhone } = await import("./phone.ts");
      reading = startPhone(next, parts);
    }
  };
  await follow(setup);
  return { follow, stop: async () => reading?.stop() };
}

function hasCommands({ channels }: Setup): boolean {
  return channels.some(
    ({ kind, settings }) =>
      kind === "telegram" &&
      typeof settings === "object" &&
      settings !== null &&
      "commands" in settings &&
      settings.commands !== undefined,
  );
}
