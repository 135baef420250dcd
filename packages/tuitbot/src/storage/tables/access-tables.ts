import type { ColumnTypes } from "./column-types.ts";

/** Sign-ins to X, agents, sign-in to the dashboard, and the stop. Times are those of this machine's clock: a sandbox's may run faster. */
export interface AccessTables {
  sign_ins: SignInRow;
  stored_sign_ins: StoredSignInRow;
  agents: AgentRow;
  web_sessions: WebSessionRow;
  web_people: WebPersonRow;
  web_tries: WebTryRow;
  web_passkeys: PasskeyRow;
  web_texts: WebTextRow;
  spent_answers: SpentAnswerRow;
  stops: StopRow;
}

/** Whose sign-in it is, as X said last: local data is then found without asking X. */
export interface SignInRow {
  readonly id: string;
  readonly account: string;
  readonly username: string;
  readonly name: string;
  readonly seen_at: number;
  /** The account of the configuration that it is of. */
  readonly configured_as: string;
}

/** The tokens of a sign-in that is kept in the database, and who may replace them. */
export interface StoredSignInRow {
  readonly name: string;
  /** Encrypted; null where nobody is signed in. */
  sealed: string | null;
  /** Whether a renewal has begun whose tokens are not stored yet. */
  renewing: number;
  holder: string | null;
  held_until: number;
}

/** An agent with its own token. Times are those of this machine's clock. */
export interface AgentRow {
  readonly name: string;
  /** SHA-256 of the token; null where the agent comes with the tokens of an issuer, and where it was revoked. */
  token_hash: string | null;
  /** The subject named by the issuer, or the grant of a signed-in client; null if the agent has a tuitbot token. */
  subject: string | null;
  /** A client that was signed in, as JSON; null for every other agent. */
  client_json: string | null;
  profile: string;
  /** Names of the accounts that it may act for. */
  accounts_json: string;
  /** Its spending caps per UTC day and month; null for no separate cap. */
  day_micros: number | null;
  month_micros: number | null;
  limits_json: string;
  created_at: number;
  /** Null where it has no end. */
  expires_at: number | null;
  revoked_at: number | null;
  /** When it called last, to the minute. */
  used_at: number | null;
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
  /** Keyed, over all the others. */
  readonly seal: string;
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
  /** The network that it came from, or `device ID` for a browser of the person. */
  readonly address: string;
  /** SHA-256 of the name. */
  readonly person: string;
  readonly at: number;
}

/** A text that somebody has typed in the dashboard and not saved. Each browser has its own. */
export interface WebTextRow {
  readonly account: string;
  readonly person: string;
  /** The name that the browser gives itself. */
  readonly browser: string;
  /** The subject of the text, as the dashboard names it. */
  readonly key: string;
  value_json: string;
  updated_at: number;
}

/** A key of somebody's device. While an account has one, an approval counts only with its signature. */
export interface PasskeyRow {
  readonly account: string;
  /** As the device names it. */
  readonly id: string;
  readonly person: string;
  /** The host name of the dashboard. */
  readonly site: string;
  /** COSE, in base64url. */
  readonly public_key: string;
  /** How often the device says that it was used; 0 where it does not count. */
  uses: number;
  /** How the device is reached, as the browser says. */
  readonly transports_json: string;
  readonly created_at: number;
}

/** A used answer or signature, which no server accepts again. */
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

export function accessTables({ integer, tableOptions }: ColumnTypes): readonly string[] {
  return [
    `create table sign_ins (
      id text primary key,
      account text not null,
      username text not null,
      name text not null,
      seen_at ${integer} not null,
      configured_as text not null
    )${tableOptions}`,
    "create index sign_ins_time on sign_ins (seen_at)",
    `create table stored_sign_ins (
      name text primary key,
      sealed text,
      renewing ${integer} not null,
      holder text,
      held_until ${integer} not null
    )${tableOptions}`,
    `create table agents (
      name text primary key,
      token_hash text unique,
      subject text unique,
      client_json text,
      profile text not null,
      accounts_json text not null,
      day_micros ${integer},
      month_micros ${integer},
      limits_json text not null,
      created_at ${integer} not null,
      expires_at ${integer},
      revoked_at ${integer},
      used_at ${integer}
    )${tableOptions}`,
    `create table web_sessions (
      id text primary key,
      account text not null,
      person text not null,
      role text not null,
      created_at ${integer} not null,
      expires_at ${integer} not null,
      signed_in_by text not null,
      seal text not null
    )${tableOptions}`,
    `create table web_people (
      account text not null,
      name text not null,
      role text not null,
      passphrase text not null,
      created_at ${integer} not null,
      primary key (account, name)
    )${tableOptions}`,
    `create table web_tries (
      id text primary key,
      account text not null,
      address text not null,
      person text not null,
      at ${integer} not null
    )${tableOptions}`,
    "create index web_tries_by_time on web_tries (account, at)",
    `create table web_texts (
      account text not null,
      person text not null,
      browser text not null,
      key text not null,
      value_json text not null,
      updated_at ${integer} not null,
      primary key (account, person, browser, key)
    )${tableOptions}`,
    `create table web_passkeys (
      account text not null,
      id text not null,
      person text not null,
      site text not null,
      public_key text not null,
      uses ${integer} not null,
      transports_json text not null,
      created_at ${integer} not null,
      primary key (account, id)
    )${tableOptions}`,
    `create table spent_answers (
      id text primary key,
      expires_at ${integer} not null
    )${tableOptions}`,
    "create index spent_answers_by_expiry on spent_answers (expires_at)",
    `create table stops (
      account text primary key,
      stopped_at ${integer} not null,
      stopped_by text not null,
      reason text
    )${tableOptions}`,
  ];
}
