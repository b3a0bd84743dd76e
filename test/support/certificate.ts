import { generateKeyPairSync, sign } from "node:crypto";

export interface Certificate {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

/**
 * A fresh self-signed certificate for `localhost` and 127.0.0.1, good for a day; made here, so that
 * the tests need neither a tool nor a key in the repository. Source: RFC 5280, 4.1.
 */
export function makeCertificate(now: number): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const name = sequence(set(sequence(COMMON_NAME, tagged(0x0c, Buffer.from("localhost")))));
  const day = 86_400_000;
  const facts = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([1])),
    RSA_SHA256,
    name,
    sequence(utcTime(now - day), utcTime(now + day)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(subjectAltName(), basicConstraints())),
  );
  const signature = sign("sha256", facts, privateKey);
  const whole = sequence(
    facts,
    RSA_SHA256,
    tagged(0x03, Buffer.concat([Buffer.from([0]), signature])),
  );
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    cert: ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n"),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
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
/** 1.2.840.113549.1.1.11 */
const RSA_SHA256 = sequence(oid("2a864886f70d01010b"), tagged(0x05, Buffer.alloc(0)));

function subjectAltName(): Buffer {
  const names = sequence(
    tagged(0x82, Buffer.from("localhost")),
    tagged(0x87, Buffer.from([127, 0, 0, 1])),
  );
  return sequence(oid("551d11"), tagged(0x04, names));
}

function basicConstraints(): Buffer {
  const authority = sequence(tagged(0x01, Buffer.from([0xff])));
  return sequence(oid("551d13"), tagged(0x04, authority));
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, "").slice(2, 14);
  return tagged(0x17, Buffer.from(`${digits}Z`));
}
