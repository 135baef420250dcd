import { isJsonObject } from "@toolpact/contract/internal";

/** A thing as X sends it: any field may be missing. */
export type XObject = Readonly<Record<string, unknown>>;

/** An empty object for whatever is none. */
export function objectIn(value: unknown, key?: string): XObject {
  const found = key === undefined ? value : isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(found) ? found : {};
}

export function textIn(object: XObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === "string" ? value : undefined;
}

export function numberIn(object: XObject, key: string): number | undefined {
  const value = object[key];
  return typeof value === "number" ? value : undefined;
}

/** A count under either of its names: X says `post` where it used to say `tweet`, unless the request does. */
export function countIn(metrics: XObject, name: "posts" | "reposts"): number | undefined {
  const [today, older] = COUNTS[name];
  return numberIn(metrics, today) ?? numberIn(metrics, older);
}

const COUNTS = {
  posts: ["post_count", "tweet_count"],
  reposts: ["repost_count", "retweet_count"],
} as const;

export function flagIn(object: XObject, key: string): boolean | undefined {
  const value = object[key];
  return typeof value === "boolean" ? value : undefined;
}

export function listIn(object: XObject, key: string): readonly unknown[] {
  const value = object[key];
  return Array.isArray(value) ? value : [];
}
