import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { knownScopes, type Sandbox } from "@toolpact/x-sandbox";

/** The environment of servers that keep everything in one folder, signed in to a sandbox that listens. */
export async function signedInEnv(home: string, sandbox: Sandbox): Promise<NodeJS.ProcessEnv> {
  const tokenFile = await signInAt(home, sandbox);
  return {
    TUITBOT_X_API__BASE_URL: await sandbox.listen(),
    TUITBOT_X_API__CLIENT_ID: sandbox.app.clientId,
    TUITBOT_X_API__PLAN: "enterprise",
    TUITBOT_AUTH__TOKEN_FILE: tokenFile,
    TUITBOT_STORAGE__DB_PATH: join(home, "store", "tuitbot.db"),
    TUITBOT_APPROVALS__KEY_FILE: join(home, "approval.key"),
    TUITBOT_APPROVALS__ALLOW_WITHOUT_TERMINAL: "true",
  };
}

/** Signs in, anew where servers of this folder were signed in before. Returns the file of the tokens. */
export async function signInAt(home: string, sandbox: Sandbox, expiresAt?: number): Promise<string> {
  const tokenFile = join(home, "tokens.json");
  const { accessToken, refreshToken, expiresInSeconds } = sandbox.signIn({ scopes: knownScopes });
  const signIn = {
    version: 1,
    access_token: accessToken,
    refresh_token: refreshToken,
    expires_at: expiresAt ?? Date.now() + expiresInSeconds * 1_000,
    scopes: knownScopes,
  };
  await writeFile(tokenFile, JSON.stringify(signIn), { mode: 0o600 });
  return tokenFile;
}
