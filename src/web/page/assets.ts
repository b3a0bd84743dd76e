import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Hono } from "hono";
import type { WebEnv } from "../viewer.ts";

/** The files that a page loads, served from the package and from nowhere else. */
export interface Assets {
  /** The address of a file, which changes with any of them; null: it is not there. */
  address(name: string): string | null;
  /** The file under this path below /assets/; null: there is none. */
  find(path: string): Asset | null;
}

export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  /** As small as it gets; made when it is first asked for. */
  brotli(): Buffer;
  gzip(): Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Reads every file of a folder. What is not there is not served: a page works without its script. */
export function readAssets(folder: URL): Assets {
  const files = new Map<string, Asset>();
  const hash = createHash("sha256");
  for (const name of readdirSync(folder).toSorted()) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const bytes = readFileSync(new URL(name, folder));
    hash.update(name).update(bytes);
    files.set(name, assetOf(type, bytes));
  }
  const version = hash.digest("hex").slice(0, 12);
  return {
    address: (name) => (files.has(name) ? `/assets/${version}/${name}` : null),
    find(path) {
      const [asked, name, ...more] = path.split("/");
      if (asked !== version || name === undefined || more.length > 0) return null;
      return files.get(name) ?? null;
    },
  };
}

function assetOf(type: string, bytes: Buffer): Asset {
  let brotli: Buffer | null = null;
  let gzip: Buffer | null = null;
  return {
    type,
    bytes,
    brotli() {
      const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
      brotli ??= brotliCompressSync(bytes, { params: quality });
      return brotli;
    },
    gzip() {
      gzip ??= gzipSync(bytes, { level: 9 });
      return gzip;
    },
  };
}

/** Style sheet and scripts: their address changes with them, so that nobody need ask again. */
export function serveAssets(app: Hono<WebEnv>, assets: Assets): void {
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
