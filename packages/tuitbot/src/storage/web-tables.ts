/** Who may use the page, and the stop. Times are those of this machine's clock: a sandbox's may run faster. */
export interface WebTables {
  web_sessions: WebSessionRow;
  web_people: WebPersonRow;
  web_tries: WebTryRow;
  web_passkeys: PasskeyRow;
  spent_answers: SpentAnswerRow;
  stops: StopRow;
}

/** A browser that is signed in. */
export interface WebSessionRow {
  /** SHA-256 of the cookie. */
  readonly id: string;
  readonly account: string;
  readonly person: string;
  /** The role at sign-in. Each request looks up the current one. */
  readonly role: string;
  /** `printed_link`, `sent_link` or `passphrase`: it decides where the current role is looked up. */
  readonly signed_in_by: string;
  readonly created_at: number;
  readonly expires_at: number;
}

/** Somebody who signs in with a passphrase. */
export interface WebPersonRow {
  readonly account: string;
  readonly name: string;
  role: string;
  /** `scrypt$N$r$p$salt$key`, the last two in base64url. */
  passphrase: string;
  created_at: number;
}

/** A passphrase that was wrong, or is being checked, not longer than a minute ago. */
export interface WebTryRow {
  readonly id: string;
  readonly account: string;
  /** Where it came from. */
  readonly address: string;
  readonly at: number;
}

/** A key of somebody's device. While an account has one, an approval counts only with its signature. */
export interface PasskeyRow {
  readonly account: string;
  /** As the device names it. */
  readonly id: string;
  readonly person: string;
  /** The host name of the page that it is for. */
  readonly site: string;
  /** COSE, in base64url. */
  readonly public_key: string;
  /** How often the device says that it was used; 0 where it does not count. */
  uses: number;
  /** How the device is reached, as the browser says. */
  readonly transports_json: string;
  readonly created_at: number;
}

/** An answer or signature that was taken, so that no server takes it again. */
export interface SpentAnswerRow {
  readonly id: string;
  /** It is refused for its age from then on. */
  readonly expires_at: number;
}

/** While there is a row for an account, nothing is sent to X for it. */
export interface StopRow {
  readonly account: string;
  readonly stopped_at: number;
  readonly stopped_by: string;
  readonly reason: string | null;
}
