import { type CommandFailure, EXIT } from "@toolpact/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { storedToken } from "../cli/token-file.ts";
import { systemClock } from "../clock.ts";
import type { GateSignIn } from "../gate/gate-sign-in.ts";
import type { Policy } from "../gate/policy.ts";
import { isLoopback } from "../mcp/http-gate.ts";

interface GateAccess {
  /** True if callers need no token, as on stdio. */
  readonly isOpen: boolean;
  readonly token: string | undefined;
  readonly tokenFile: string;
  readonly mayRead: (tool: string) => boolean;
}

interface OpenedGateSignIn extends GateSignIn {
  readonly lines: (url: string) => readonly string[];
  readonly close: () => Promise<void>;
}

/**
 * Opens the sign-in for `--sign-in`, at the given public address or the listening one. Owners use the gate's
 * token.
 */
export async function signInFor(
  address: string,
  policy: Policy,
  { isOpen, token, tokenFile, mayRead }: GateAccess,
): Promise<Outcome<OpenedGateSignIn, CommandFailure>> {
  if (isOpen) return usage("--sign-in needs --http, and no --no-token.");
  if (address !== "" && !isPublicAddress(address))
    return usage(
      `--sign-in cannot be ${JSON.stringify(address)}. Give an address such as https://gate.example.`,
    );
  const stored = token === undefined ? await storedToken(tokenFile) : ok(token);
  if (!stored.ok) return stored;
  const [{ openGateSignIn }, { keyFor, openDatabase }] = await Promise.all([
    import("../gate/gate-sign-in.ts"),
    import("../gate/open-store.ts"),
  ]);
  const database = await openDatabase(policy);
  const opened = await openGateSignIn({
    name: policy.name,
    database,
    key: await keyFor("sign-in of a gate", policy),
    publicUrl: address === "" ? undefined : address,
    passphrase: stored.value,
    mayRead,
    now: () => systemClock.now(),
  });
  const lines = (url: string) => {
    const here = new URL("/mcp", address || url).href;
    return [
      "",
      "Or without the token. The client opens a browser, in which you sign in with it and choose what the client",
      `may do (${token === undefined ? tokenFile : "TOOLPACT_GATE_TOKEN"}):`,
      "",
      `  claude mcp add --transport http ${policy.name} ${here}`,
      `  codex mcp add ${policy.name} --url ${here}`,
    ];
  };
  return ok({ ...opened, lines, close: () => database.close() });
}

function usage(message: string): Outcome<never, CommandFailure> {
  return failed({ message, exitCode: EXIT.usage });
}

/** Only the origin counts, because clients look for the sign-in at its root. */
function isPublicAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(text);
  const isSafe = protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
  return isSafe && pathname === "/" && search === "" && hash === "";
}
