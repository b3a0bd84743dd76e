import type { Hono } from "hono";
import type { WebEnv } from "../../viewer.ts";
import type { Asset } from "../assets.ts";
import type { PageParts } from "../context.ts";

/** Style sheet and scripts: their address changes with them, so that nobody need ask again. */
export function serveAssets(app: Hono<WebEnv>, { assets }: PageParts): void {
  app.get("/assets/:version/:name", (c) => {
    const { version, name } = c.req.param();
    const asset = assets.find(`${version}/${name}`);
    if (asset === null) return c.notFound();
    const { encoding, bytes } = packed(asset, c.req.header("accept-encoding") ?? "");
    c.header("content-type", asset.type);
    c.header("cache-control", "private, max-age=31536000, immutable");
    c.header("vary", "accept-encoding");
    if (encoding !== null) c.header("content-encoding", encoding);
    return c.body(new Uint8Array(bytes));
  });
}

function packed(asset: Asset, accepted: string): { encoding: string | null; bytes: Buffer } {
  if (/\bbr\b/.test(accepted)) return { encoding: "br", bytes: asset.brotli() };
  if (/\bgzip\b/.test(accepted)) return { encoding: "gzip", bytes: asset.gzip() };
  return { encoding: null, bytes: asset.bytes };
}
