import { afterAll, beforeAll } from "vitest";
import { storeSuite } from "../store/store-suite.ts";
import { postgresPlace } from "./support/place.ts";
import { describeWhole, type Server, startServer } from "./support/server.ts";

describeWhole("a real PostgreSQL", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  storeSuite("on PostgreSQL", async () => postgresPlace(server));
});
