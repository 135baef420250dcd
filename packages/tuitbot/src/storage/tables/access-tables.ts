import type { ColumnTypes } from "./column-types.ts";

/** Times are this machine's: a sandbox's may run faster. */
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

/** Finds local data without asking X. */
export interface SignInRow {
  readonly id: string;
  readonly account: string;
  readonly username: string;
  readonly name: string;
  readonly seen_at: number;
  /** In the configuration. */
  readonly configured_as: string;
}

/** With who may replace them. */
export interface StoredSignInRow {
  readonly name: string;
  /** Encrypted; null if nobody is signed in. */
  sealed: string | null;
  /** A renewal has begun, and its tokens are not stored yet. */
  renewing: number;
  holder: string | null;
  held_until: number;
}

/** Times are this machine's. */
export interface AgentRow {
  readonly name: string;
  /** SHA-256; null for an issuer's tokens, and after revocation. */
  token_hash: string | null;
  /** By the issuer, or a client's grant; null with a tuitbot token. */
  subject: string | null;
  /** As JSON; null for other agents. */
  client_json: string | null;
  profile: string;
  accounts_json: string;
  /** Null for no cap. */
  day_micros: number | null;
  month_micros: number | null;
  limits_json: string;
  created_at: number;
  /** Null for no end. */
  expires_at: number | null;
  revoked_at: number | null;
  /** To the minute. */
  used_at: number | null;
}

export interface WebSessionRow {
  /** SHA-256 of the cookie. */
  readonly id: string;
  readonly account: string;
  readonly person: string;
  /** At sign-in. Requests look up the current one. */
  readonly role: string;
  /** Decides where the current role is looked up. */
  readonly signed_in_by: string;
  readonly created_at: number;
  readonly expires_at: number;
  /** Keyed, over all the others. */
  readonly seal: string;
}

export interface WebPersonRow {
  readonly account: string;
  readonly name: string;
  role: string;
  /** `scrypt$N$r$p$salt$key`, the last two in base64url. */
  passphrase: string;
  created_at: number;
}

/** An attempt in the last minute, even if still being checked. */
export interface WebTryRow {
  readonly id: string;
  readonly account: string;
  /** A network, or `device ID` for a known browser. */
  readonly address: string;
  /** SHA-256 of the name. */
  readonly person: string;
  readonly at: number;
}

/** Unsaved, per browser. */
export interface WebTextRow {
  readonly account: string;
  readonly person: string;
  /** Chosen by the browser. */
  readonly browser: string;
  /** As in the dashboard. */
  readonly key: string;
  value_json: string;
  updated_at: number;
}

/** While an account has one, approvals require its signature. */
export interface PasskeyRow {
  readonly account: string;
  /** Chosen by the device. */
  readonly id: string;
  readonly person: string;
  /** The dashboard's host name. */
  readonly site: string;
  /** COSE, in base64url. */
  readonly public_key: string;
  /** Reported by the device; 0 if it does not count. */
  uses: number;
  /** Reported by the browser. */
  readonly transports_json: string;
  readonly created_at: number;
}

/** No server accepts it again. */
export interface SpentAnswerRow {
  readonly id: string;
  /** Afterwards it is too old anyway. */
  readonly expires_at: number;
}

/** While a row exists, nothing is sent to X for the account. */
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
