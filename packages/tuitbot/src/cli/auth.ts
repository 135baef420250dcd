import { failed, ok } from "@toolpact/outcome";
import { authLogin } from "./auth-login.ts";
import { loadedConfig } from "./context.ts";
import { command } from "./machine.ts";
import { isSignedIn, whoIsSignedIn, withSignIn } from "./signed-in.ts";

const status = command({
  name: "status",
  describe: "Show who is signed in, and the granted permissions",
  examples: [
    { line: "tuitbot auth status --output json", does: "for a program; exit code 1 if nobody is signed in" },
  ],
  async run(_, context) {
    const loaded = await loadedConfig(context);
    return loaded.ok ? whoIsSignedIn(loaded.value.values, context) : loaded;
  },
});

const logout = command({
  name: "logout",
  describe: "Delete the sign-in here, and revoke it on X",
  examples: [{ line: "tuitbot auth logout", does: "no tool can reach X afterwards" }],
  async run(_, context) {
    const loaded = await loadedConfig(context);
    if (!loaded.ok) return loaded;
    const config = loaded.value.values;
    const wasSignedIn = await isSignedIn(config, context);
    const done = await withSignIn(config, context, (tokens) => tokens.signOut());
    if (!done.ok) return failed({ message: done.failure.message });
    const { revoked } = done.value;
    const here = wasSignedIn
      ? "Signed out here. X was not notified: revoke tuitbot's access in X's settings if it was ever granted."
      : "Nobody was signed in.";
    return ok({
      text: revoked ? "Signed out, here and on X." : here,
      json: { signed_out: wasSignedIn, revoked },
    });
  },
});

export const auth = {
  name: "auth",
  describe: "Sign in to X and out",
  examples: [...authLogin.examples.slice(0, 1), ...status.examples],
  commands: [authLogin, status, logout],
};
