/** What both stores delete of before `$1` (epoch milliseconds), in the words that both databases understand. */

/** Rows that one transaction deletes or looks at; it takes a few milliseconds. */
export const CHUNK = 5_000;
/** Of rules that are due in ever other company there are many; finding those that count takes a while. */
export const MANY_LISTS = 100;

/** Each deletes at most CHUNK rows. What refers to something goes before it: messages go before all of these. */
export const STEPS = [
  `DELETE FROM notices WHERE seq IN (
     SELECT seq FROM notices
     WHERE at < $1 AND NOT EXISTS (SELECT 1 FROM owed WHERE owed.notice = notices.seq)
     LIMIT ${CHUNK})`,
  `DELETE FROM rounds WHERE date IN (SELECT date FROM rounds WHERE date < $1 LIMIT ${CHUNK})`,
  // But for what an alert that is still watched was at that time.
  `DELETE FROM alert_changes WHERE seq IN (
     SELECT seq FROM alert_changes AS old WHERE at < $1 AND (
       EXISTS (SELECT 1 FROM alert_changes AS later WHERE later.rule = old.rule
         AND later.subject = old.subject AND later.seq > old.seq AND later.at < $1)
       OR NOT EXISTS (SELECT 1 FROM alerts WHERE alerts.rule = old.rule AND alerts.subject = old.subject)
     ) LIMIT ${CHUNK})`,
  `DELETE FROM revisions WHERE (at, series, first) IN (
     SELECT at, series, first FROM revisions WHERE at < $1 LIMIT ${CHUNK})`,
];

/** These are few: histories that were fetched long ago, and what people wrote. */
export const FEW = [
  "DELETE FROM history_cache WHERE fetched_at < $1",
  "DELETE FROM silences WHERE ends_at < $1",
  "DELETE FROM orders WHERE done_at < $1",
  // Which version a rule has been since then is still asked for.
  `DELETE FROM rule_changes WHERE at < $1 AND EXISTS (
     SELECT 1 FROM rule_changes AS later
     WHERE later.rule = rule_changes.rule AND later.seq > rule_changes.seq)`,
  "DELETE FROM audit WHERE at < $1",
];

/** What was so of subjects at other times, but for what held then: it may hold still. Nobody counts these. */
export const OLD_FACTS = `DELETE FROM subject_facts WHERE at < $1 AND EXISTS (
  SELECT 1 FROM subject_facts AS later
  WHERE later.subject = subject_facts.subject AND later.at > subject_facts.at AND later.at < $1)`;
