export interface AgentTables {
  agents: AgentRow;
}

/** An agent that calls with a token of its own. Times are those of this machine's clock. */
export interface AgentRow {
  readonly name: string;
  /** SHA-256 of the token; null where the agent comes with the tokens of an issuer, and where it was revoked. */
  token_hash: string | null;
  /** Whom the issuer names; null where the agent has a token of tuitbot. */
  subject: string | null;
  profile: string;
  /** Names of the accounts that it may act for. */
  accounts_json: string;
  /** The most that it may spend in a day and in a month by UTC; null for no cap of its own. */
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
