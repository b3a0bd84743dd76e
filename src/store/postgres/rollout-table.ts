/**
 * A configuration goes into force part by part. `files`: its text with references in place of secrets; null: it holds a
 * secret itself. `begun_at`: since then nobody may take a slot to decide it by an older one. `decides`: by which one
 * the owner of a slot decides, or the last owner did.
 */
export const ROLLOUT = `
ALTER TABLE configs ADD COLUMN files text, ADD COLUMN begun_at timestamptz;
UPDATE configs SET begun_at = at;
ALTER TABLE leases ADD COLUMN decides integer;
UPDATE leases SET decides = config;
`;
