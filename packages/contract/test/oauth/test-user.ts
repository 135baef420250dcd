import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { Browser, signInWith } from "./browser.ts";
import { CALLBACK, USER } from "./oauth-client.ts";

/** Keeps its registration and tokens, and opens a browser. */
export class TestUser implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata: OAuthClientMetadata = { client_name: "SDK", redirect_uris: [CALLBACK] };
  client: StoredOAuthClientInformation | undefined;
  stored: StoredOAuthTokens | undefined;
  back: URL | undefined;
  registrations = 0;
  private verifier = "";

  clientInformation() {
    return this.client;
  }
  saveClientInformation(client: StoredOAuthClientInformation) {
    this.registrations++;
    this.client = client;
  }
  tokens() {
    return this.stored;
  }
  saveTokens(tokens: StoredOAuthTokens) {
    this.stored = tokens;
  }
  async redirectToAuthorization(url: URL) {
    this.back = await signInWith(new Browser(), url, USER);
  }
  saveCodeVerifier(verifier: string) {
    this.verifier = verifier;
  }
  codeVerifier() {
    return this.verifier;
  }
}
