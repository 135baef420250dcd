import { generateKeyPairSync, sign } from "node:crypto";

/** A certificate for a name, signed with its own key, both in PEM. */
export function selfSigned(name: string): { readonly cert: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const ed25519 = sequence(der(0x06, [0x2b, 0x65, 0x70]));
  const commonName = sequence(der(0x06, [0x55, 0x04, 0x03]), der(0x0c, Buffer.from(name)));
  const subject = sequence(der(0x31, commonName));
  const time = (at: number) =>
    der(0x17, Buffer.from(`${new Date(at).toISOString().slice(2, 19).replace(/\D/g, "")}Z`));
  const alternativeName = sequence(
    der(0x06, [0x55, 0x1d, 0x11]),
    der(0x04, sequence(der(0x82, Buffer.from(name)))),
  );
  const content = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, [1]),
    ed25519,
    subject,
    sequence(time(Date.now() - 86_400_000), time(Date.now() + 86_400_000)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(alternativeName)),
  );
  const certificate = sequence(
    content,
    ed25519,
    der(0x03, Buffer.concat([Buffer.from([0]), sign(null, content, privateKey)])),
  );
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function der(tag: number, content: Buffer | readonly number[]): Buffer {
  const bytes = Buffer.from(content);
  const { length } = bytes;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), bytes]);
}
