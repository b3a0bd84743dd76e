import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIPv4 } from "node:net";

export interface Certificate {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

/** Who signs certificates. */
export interface Authority extends Certificate {
  /** A certificate for a server of that name or IPv4 address. */
  issue(host: string): Certificate;
}

const DAY_MS = 86_400_000;

/**
 * A fresh self-signed certificate for `localhost` and 127.0.0.1, good for a day; made here, so that
 * the tests need neither a tool nor a key in the repository. Source: RFC 5280, 4.1.
 */
export function makeCertificate(now: number): Certificate {
  const { privateKey, publicKey } = makeKeys();
  const name = nameOf("localhost");
  const extensions = [altNames("localhost", "127.0.0.1"), basicConstraints()];
  return signed({ now, subject: name, publicKey, extensions }, name, privateKey);
}

/** A fresh authority, good for a day like everything that it signs. */
export function makeAuthority(now: number): Authority {
  const { privateKey, publicKey } = makeKeys();
  const name = nameOf("an authority");
  const extensions = [basicConstraints()];
  return {
    ...signed({ now, subject: name, publicKey, extensions }, name, privateKey),
    issue(host) {
      const keys = makeKeys();
      const facts = { now, subject: nameOf(host), publicKey: keys.publicKey };
      const { cert } = signed({ ...facts, extensions: [altNames(host)] }, name, privateKey);
      return { cert, key: pemOf(keys.privateKey) };
    },
  };
}

interface Facts {
  readonly now: number;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

/** With `issuer` as its name and its key. */
function signed(
  { now, subject, publicKey, extensions }: Facts,
  issuer: Buffer,
  key: KeyObject,
): Certificate {
  const facts = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    issuer,
    sequence(utcTime(now - DAY_MS), utcTime(now + DAY_MS)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(...extensions)),
  );
  const signature = sign("sha256", facts, key);
  const whole = sequence(
    facts,
    ECDSA_SHA256,
    tagged(0x03, Buffer.concat([Buffer.from([0]), signature])),
  );
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    cert: ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n"),
    key: pemOf(key),
  };
}

function makeKeys() {
  return generateKeyPairSync("ec", { namedCurve: "prime256v1" });
}

function pemOf(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

function nameOf(text: string): Buffer {
  return sequence(set(sequence(COMMON_NAME, tagged(0x0c, Buffer.from(text)))));
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function set(...parts: readonly Buffer[]): Buffer {
  return tagged(0x31, Buffer.concat(parts));
}

function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, "hex"));
}

/** 2.5.4.3 */
const COMMON_NAME = oid("550403");
/** 1.2.840.10045.4.3.2, RFC 5758, 3.2. */
const ECDSA_SHA256 = sequence(oid("2a8648ce3d040302"));

function altNames(...hosts: readonly string[]): Buffer {
  const names = hosts.map((host) =>
    isIPv4(host)
      ? tagged(0x87, Buffer.from(host.split(".").map(Number)))
      : tagged(0x82, Buffer.from(host)),
  );
  return sequence(oid("551d11"), tagged(0x04, sequence(...names)));
}

function basicConstraints(): Buffer {
  const authority = sequence(tagged(0x01, Buffer.from([0xff])));
  return sequence(oid("551d13"), tagged(0x04, authority));
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, "").slice(2, 14);
  return tagged(0x17, Buffer.from(`${digits}Z`));
}
