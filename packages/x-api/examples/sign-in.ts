import { createXClient, loginInBrowser, retryReads, scopesFor, TokenKeeper } from "@toolpact/x-api";

const app = { clientId: process.env.X_CLIENT_ID ?? "", redirectUri: "http://127.0.0.1:8976/callback" };
const keeper = new TokenKeeper({ app, path: "tokens.json", loginCommand: "node sign-in.ts" });

const granted = await loginInBrowser(app, {
  scopes: scopesFor(["getUsersMe", "createPosts", "mediaUpload", "createMediaMetadata"]),
  show: (url) => console.log(`Open ${url}`),
});
if (!granted.ok) throw new Error(granted.failure.message);
const kept = await keeper.signIn(granted.value);
if (!kept.ok) throw new Error(kept.failure.message);

export const client = retryReads(createXClient({ tokens: keeper }));
