import { isJsonObject } from "@toolpact/contract/internal";

/** Any field may be missing. */
export type XObject = Readonly<Record<string, unknown>>;

/** Empty for anything else. */
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

/** X renamed `tweet` to `post`, but answers with the request's words. */
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
