import { type Signal, signal } from "@preact/signals";
import { base } from "../api/client.ts";

/** The open view, the open thing in it, and filters: `#/activity/17?status=routed`. */
export interface Route {
  readonly view: string;
  readonly thing: string | undefined;
  readonly filters: Readonly<Record<string, string>>;
}

/** The address of the dashboard. Links and the Back button work on it, and a reload keeps it. */
export const route: Signal<Route> = signal(inAddress());

addEventListener("hashchange", () => {
  route.value = inAddress();
});

export function addressOf(view: string, thing?: string | number, filters: Route["filters"] = {}): string {
  const set = Object.entries(filters).filter(([, value]) => value !== "");
  const query = set.length === 0 ? "" : `?${new URLSearchParams(set)}`;
  return `#/${view}${thing === undefined ? "" : `/${encodeURIComponent(thing)}`}${query}`;
}

/** Opens an address. Back leads to the one before. */
export function go(address: string): void {
  location.hash = address;
  // The event comes later; the next key may come before it.
  route.value = inAddress();
}

/** Opens an address in place of the current one, such as the next item of a list: Back skips it. */
export function goInstead(address: string): void {
  history.replaceState(history.state, "", address);
  route.value = inAddress();
}

/** A filter of the open view that is part of the address. */
export function useFilter(name: string): readonly [value: string, set: (value: string) => void] {
  const { view, thing, filters } = route.value;
  return [
    filters[name] ?? "",
    (value) => goInstead(addressOf(view, thing, { ...route.peek().filters, [name]: value })),
  ];
}

function inAddress(): Route {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  // A path without a hash, such as /compose, is what people type.
  const [view = "", thing] = (path === "" ? location.pathname.slice(base.length + 1) : path).split("/");
  return {
    view,
    thing: thing === undefined || thing === "" ? undefined : decoded(thing),
    filters: Object.fromEntries(new URLSearchParams(query)),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
