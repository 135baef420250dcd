/** Who may use the page, and the stop. Times are those of this machine's clock: a sandbox's may run faster. */
export interface WebTables {
  web_sessions: WebSessionRow;
  web_links: WebLinkRow;
  web_people: WebPersonRow;
  stops: StopRow;
}

/** A browser that is signed in. */
export interface WebSessionRow {
  /** SHA-256 of the cookie. */
  readonly id: string;
  readonly account: string;
  readonly person: string;
  readonly role: string;
  readonly created_at: number;
  readonly expires_at: number;
}

/** A link that signs one browser in. It is deleted when it is used. */
export interface WebLinkRow {
  /** SHA-256 of the secret in the link. */
  readonly id: string;
  readonly account: string;
  readonly person: string;
  readonly role: string;
  readonly expires_at: number;
}

/** Somebody who signs in with a passphrase. */
export interface WebPersonRow {
  readonly account: string;
  readonly name: string;
  role: string;
  /** Salted and hashed. */
  passphrase: string;
  created_at: number;
}

/** While there is a row for an account, nothing is sent to X for it. */
export interface StopRow {
  readonly account: string;
  readonly stopped_at: number;
  readonly stopped_by: string;
  readonly reason: string | null;
}
