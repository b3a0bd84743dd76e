/** The second version of the driver is installed under a name of its own and has the same types. */
declare module "better-sqlite3-node22" {
  import Database from "better-sqlite3";
  export default Database;
}
