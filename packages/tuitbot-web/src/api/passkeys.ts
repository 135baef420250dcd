import { failed, type Outcome, ok } from "@toolpact/outcome";
import type { Answer, CommandName, Commands, JsonObject, PasskeySignature } from "tuitbot/src/web/api.ts";
import { words } from "../text/words.ts";
import { runCommand } from "./client.ts";
import type { Problem } from "./problem.ts";

type Challenge = Commands["passkey_challenge"]["request"];
type PasskeyOptions = Answer<"passkey_new">;

/** Runs a command; where it wants the signature of a passkey, the person is asked for it, and it is run again with that. */
export async function runSigned<Name extends CommandName>(
  name: Name,
  args: Commands[Name]["request"],
  challenge: Challenge,
): Promise<Outcome<Commands[Name]["answer"], Problem>> {
  const unsigned = await runCommand(name, args);
  if (unsigned.ok || unsigned.failure.reason !== "needs_passkey") return unsigned;
  const asked = await runCommand("passkey_challenge", challenge);
  if (!asked.ok) return asked;
  const signature = await answered(asked.value, (options) =>
    navigator.credentials.get({
      // The server declares that its options are of this shape.
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(
        options as unknown as PublicKeyCredentialRequestOptionsJSON,
      ),
    }),
  );
  return signature.ok ? runCommand(name, { ...args, signature: signature.value }) : signature;
}

/** Makes a passkey and registers it. */
export async function addPasskey(): Promise<Outcome<Answer<"passkey_add">, Problem>> {
  const asked = await runCommand("passkey_new");
  if (!asked.ok) return asked;
  const made = await answered(asked.value, (options) =>
    navigator.credentials.create({
      // The server declares that its options are of this shape.
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(
        options as unknown as PublicKeyCredentialCreationOptionsJSON,
      ),
    }),
  );
  return made.ok ? runSigned("passkey_add", made.value, { purpose: "register" }) : made;
}

async function answered(
  { ticket, options }: PasskeyOptions,
  ask: (options: JsonObject) => Promise<Credential | null>,
): Promise<Outcome<PasskeySignature, Problem>> {
  try {
    const credential = await ask(options);
    if (!(credential instanceof PublicKeyCredential)) return failed(words.passkeys.notUsed);
    return ok({ ticket, response: credential.toJSON() as unknown as JsonObject });
  } catch {
    // The browser says no more than that the person, the device or the page did not want it.
    return failed(words.passkeys.notUsed);
  }
}
