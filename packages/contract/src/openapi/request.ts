import { failed, type Outcome, ok } from "@toolpact/outcome";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { Argument, OperationInput } from "./arguments.ts";
import { isList } from "./json-limits.ts";

export interface PlannedRequest {
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string | FormData | Uint8Array<ArrayBuffer> | undefined;
}

/** Rejects URLs with parts that could redirect requests. */
export function baseUrlOf(text: string): Outcome<URL, string> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol))
    return failed("The base URL has to be a whole address with http:// or https://.");
  if (url.username !== "" || url.password !== "")
    return failed("The base URL holds a password, which logs would show. Give it as a credential.");
  if (url.search !== "" || url.hash !== "") return failed("The base URL has a ? or a #.");
  return ok(url);
}

/** The failure names an invalid argument. */
export function requestOf(
  baseUrl: URL,
  path: string,
  { arguments: all, body: type }: OperationInput,
  input: JsonObject,
): Outcome<PlannedRequest, string> {
  const given = all.flatMap((argument) => {
    const value = input[argument.name];
    return value === undefined ? [] : [{ ...argument, value }];
  });

  let filled = path;
  for (const { name, key, value, style, explode } of given.filter(({ place }) => place === "path")) {
    const text = style === "json" ? encode(value) : simple(value, explode, encode);
    if (text === "") return failed(`\`${name}\` is part of the path and cannot be empty.`);
    filled = filled.replaceAll(`{${key}}`, () => text);
  }
  const url = addressOf(baseUrl, filled);
  if (url === undefined) return failed("An argument would change which path is asked for.");
  url.search = given
    .filter(({ place }) => place === "query")
    .flatMap(queryOf)
    .join("&");

  const headers = new Headers();
  for (const { name, key, value, explode } of given.filter(({ place }) => place === "header")) {
    const text = simple(value, explode, plainText);
    if (!/^[\t\x20-\x7e]*$/.test(text)) return failed(`\`${name}\` has characters that no header can carry.`);
    headers.set(key, text);
  }

  const parts = given.filter(({ place }) => place === "member" || place === "body");
  if (type === undefined || (parts.length === 0 && !type.isRequired))
    return ok({ url, headers, body: undefined });
  // fetch sets the type of a form with files, because it chooses the boundary.
  if (type.kind !== "multipart") headers.set("content-type", type.contentType);
  const whole = parts.find(({ place }) => place === "body");
  const members = parts.filter(({ place }) => place === "member");
  switch (type.kind) {
    case "json": {
      const value =
        whole === undefined ? Object.fromEntries(members.map((part) => [part.key, part.value])) : whole.value;
      return ok({ url, headers, body: JSON.stringify(value) });
    }
    case "form":
      return ok({
        url,
        headers,
        body: (whole === undefined ? members : membersOf(whole)).flatMap(queryOf).join("&"),
      });
    case "multipart": {
      const form = new FormData();
      for (const { name, key, value, isBinary } of whole === undefined ? members : membersOf(whole)) {
        const bytes = isBinary ? bytesOf(value) : undefined;
        if (isBinary && bytes === undefined) return failed(`\`${name}\` is not Base64.`);
        if (bytes === undefined) form.append(key, plainText(value));
        else form.append(key, new Blob([bytes]), key);
      }
      return ok({ url, headers, body: form });
    }
    case "text":
      return ok({ url, headers, body: plainText(whole?.value ?? "") });
    case "binary": {
      const bytes = bytesOf(whole?.value ?? "");
      return bytes === undefined ? failed("`body` is not Base64.") : ok({ url, headers, body: bytes });
    }
  }
}

/** Undefined if `..`, `?` and similar would lead elsewhere. */
export function addressOf(baseUrl: URL, path: string): URL | undefined {
  const pathname = `${baseUrl.pathname.replace(/\/$/, "")}${path}`;
  const url = new URL(baseUrl);
  url.pathname = pathname;
  return url.pathname === pathname ? url : undefined;
}

interface GivenArgument extends Argument {
  readonly value: Json;
}

function membersOf({ value, ...argument }: GivenArgument): GivenArgument[] {
  const members = isJsonObject(value) ? Object.entries(value) : [];
  return members.flatMap(([key, member]) =>
    member === undefined ? [] : [{ ...argument, name: key, key, value: member }],
  );
}

/** In OpenAPI's styles. Form members are written like lists in a query. */
function queryOf({ key, value, style, explode, place }: GivenArgument): string[] {
  const name = encodeURIComponent(key);
  const isMember = place === "member" || place === "body";
  if (style === "json" && !isMember) return [`${name}=${encode(value)}`];
  if (isList(value)) {
    if (explode || isMember) return value.map((item) => `${name}=${encode(item)}`);
    const between = style === "spaceDelimited" ? "%20" : style === "pipeDelimited" ? "%7C" : ",";
    return [`${name}=${value.map(encode).join(between)}`];
  }
  if (isJsonObject(value) && !isMember) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    if (style === "deepObject")
      return members.map(
        ([member, item]) => `${name}%5B${encodeURIComponent(member)}%5D=${encode(item ?? null)}`,
      );
    if (explode)
      return members.map(([member, item]) => `${encodeURIComponent(member)}=${encode(item ?? null)}`);
    return [`${name}=${simple(value, false, encode)}`];
  }
  return [`${name}=${encode(value)}`];
}

/** `a,b` and `a,1,b,2`; exploded, `a=1,b=2`. */
function simple(value: Json, explode: boolean, write: (value: Json) => string): string {
  if (isList(value)) return value.map(write).join(",");
  if (!isJsonObject(value)) return write(value);
  return Object.entries(value)
    .map(([name, member]) => `${write(name)}${explode ? "=" : ","}${write(member ?? null)}`)
    .join(",");
}

function encode(value: Json): string {
  return encodeURIComponent(plainText(value).toWellFormed());
}

function plainText(value: Json): string {
  if (value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function bytesOf(value: Json): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(plainText(value)), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
