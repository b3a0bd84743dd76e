/**
 * Daemons hear at once of orders, of notices that others have written, of slots that are given back and of new
 * configurations. The name has a hash of the schema's: names may be 63 characters long. Samples alone notify nobody: that
 * locks all commits.
 */
export const NOTIFICATIONS = `
CREATE FUNCTION tell_daemons() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_catalog.pg_notify('tickwatch_' || pg_catalog.md5(TG_TABLE_SCHEMA), TG_TABLE_NAME);
  RETURN NULL;
END $$;
CREATE TRIGGER tell_daemons AFTER INSERT ON orders FOR EACH STATEMENT EXECUTE FUNCTION tell_daemons();
CREATE TRIGGER tell_daemons AFTER INSERT ON notices FOR EACH STATEMENT EXECUTE FUNCTION tell_daemons();
CREATE TRIGGER tell_daemons AFTER INSERT OR UPDATE ON configs FOR EACH STATEMENT EXECUTE FUNCTION tell_daemons();
CREATE TRIGGER tell_daemons AFTER UPDATE OF owner ON leases FOR EACH ROW
  WHEN (OLD.owner IS NOT NULL AND NEW.owner IS NULL) EXECUTE FUNCTION tell_daemons();
`;
