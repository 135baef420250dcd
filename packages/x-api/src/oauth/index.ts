export type { OAuthApp, OAuthSurroundings } from "./app.ts";
export { type BrowserLoginOptions, loginInBrowser } from "./browser-login.ts";
export type { Grant } from "./grant.ts";
export { beginLogin, finishLogin, type PendingLogin } from "./login.ts";
export { asProviderError, type OAuthError } from "./oauth-error.ts";
export { scopesFor } from "./scopes.ts";
export { Secret } from "./secret.ts";
export { TokenKeeper, type TokenKeeperOptions } from "./token-keeper.ts";
