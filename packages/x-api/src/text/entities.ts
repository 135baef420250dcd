/** The entities in the text of a post, each kind from left to right. */
export interface Entities {
  readonly urls: readonly UrlRange[];
  readonly mentions: readonly MentionRange[];
  readonly hashtags: readonly HashtagRange[];
  readonly cashtags: readonly CashtagRange[];
}

/** A place in a text: UTF-16 indices, the end not included. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A link that X shortens, whether it is written in full or only as a domain. */
export interface UrlRange extends Range {
  readonly url: string;
}

export interface MentionRange extends Range {
  readonly handle: string;
}

export interface HashtagRange extends Range {
  readonly tag: string;
}

export interface CashtagRange extends Range {
  readonly symbol: string;
}
