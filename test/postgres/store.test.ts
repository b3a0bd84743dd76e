import { afterAll, beforeAll } from "vitest";
import { sameSuite } from "../store/same-suite.ts";
import { storeSuite } from "../store/store-suite.ts";
import { postgresPlace } from "./support/place.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

describeWhole("a real PostgreSQL", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  const place = async () => postgresPlace(server);
  storeSuite("on PostgreSQL", place);
  sameSuite("PostgreSQL", place, 20);
});
