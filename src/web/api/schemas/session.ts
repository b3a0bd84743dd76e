import { z } from "zod";

export const Session = z
  .object({
    by: z.string().meta({ description: "Under which name actions are written down." }),
    may_act: z.boolean(),
    why_not: z.string().nullable(),
    csrf: z.string().nullable().meta({
      description: "On loopback without a token: what a POST sends as `X-CSRF-Token`.",
    }),
    signed_in: z.boolean(),
  })
  .meta({ id: "Session" });
export type Session = z.infer<typeof Session>;
