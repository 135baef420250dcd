import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { JsonObject } from "@toolpact/contract";
import { expect } from "vitest";
import type { PasskeySignature } from "../../src/web/api.ts";
import type { Browser } from "./served.ts";

/** A device that makes and uses one passkey as WebAuthn Level 2 has it: ES256, no attestation, the user is verified. */
export class SoftwarePasskey {
  readonly #key = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #id = randomBytes(16);

  get id(): string {
    return this.#id.toString("base64url");
  }

  /** Registers it for the person at a browser. `voucher` is a passkey that is there already. */
  async register(browser: Browser, voucher?: SoftwarePasskey) {
    const signature = await voucher?.sign(browser, { purpose: "register" });
    const made = await browser.command("passkey_new");
    const { ticket, options } = made.body;
    const clientDataJSON = clientData("webauthn.create", options, browser);
    const response = { clientDataJSON, attestationObject: this.#attestation(browser), transports: [] };
    return browser.command("passkey_add", {
      ...{ ticket, response: this.#credential(response) },
      ...(signature !== undefined && { signature }),
    });
  }

  /** Signs what the server asks for. */
  async sign(
    browser: Browser,
    request: Parameters<typeof browser.command<"passkey_challenge">>[1],
  ): Promise<PasskeySignature> {
    const made = await browser.command("passkey_challenge", request);
    expect(made).toMatchObject({ status: 200 });
    const { ticket, options } = made.body;
    return this.answer(browser, ticket, options);
  }

  answer(browser: Browser, ticket: string, options: JsonObject): PasskeySignature {
    const clientDataJSON = clientData("webauthn.get", options, browser);
    const data = authenticatorData(browser, 0x05);
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, "base64url"))]);
    const response = {
      clientDataJSON,
      authenticatorData: data.toString("base64url"),
      signature: sign("sha256", signed, this.#key.privateKey).toString("base64url"),
    };
    return { ticket, response: this.#credential(response) };
  }

  #credential(response: JsonObject): JsonObject {
    return { id: this.id, rawId: this.id, type: "public-key", clientExtensionResults: {}, response };
  }

  /** CBOR of the format `none` with the public key. */
  #attestation(browser: Browser): string {
    const { x = "", y = "" } = this.#key.publicKey.export({ format: "jwk" });
    const publicKey = Buffer.concat([
      Buffer.from("a5010203262001215820", "hex"),
      Buffer.from(x, "base64url"),
      Buffer.from("225820", "hex"),
      Buffer.from(y, "base64url"),
    ]);
    const data = Buffer.concat([
      authenticatorData(browser, 0x45),
      Buffer.alloc(16),
      Buffer.from([0, this.#id.length]),
      this.#id,
      publicKey,
    ]);
    return Buffer.concat([
      Buffer.from("a363666d74646e6f6e656761747453746d74a068617574684461746158", "hex"),
      Buffer.from([data.length]),
      data,
    ]).toString("base64url");
  }
}

function clientData(type: string, { challenge = "" }: JsonObject, { url }: Browser): string {
  return Buffer.from(JSON.stringify({ type, challenge, origin: new URL(url).origin })).toString("base64url");
}

function authenticatorData({ url }: Browser, flags: number): Buffer {
  return Buffer.concat([sha256(new URL(url).hostname), Buffer.from([flags, 0, 0, 0, 0])]);
}

function sha256(data: Buffer | string): Buffer {
  return createHash("sha256").update(data).digest();
}
