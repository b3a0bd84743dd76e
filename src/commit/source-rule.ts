/** The rule name of the daemon's own alerts; users' rules cannot have it. */
export const SOURCE_RULE = "tickwatch:source";
