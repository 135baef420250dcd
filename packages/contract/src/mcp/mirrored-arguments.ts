import { isUtf8 } from "node:buffer";
import type { JsonObject } from "../json.ts";

/**
 * An argument with `x-mcp-header: "Region"`, which clients repeat in `Mcp-Param-Region` for proxies. A server
 * must reject a header that contradicts the body.
 */
interface Mirrored {
  readonly path: readonly string[];
  readonly header: string;
}

/** Returns how the headers contradict the arguments. */
export type HeaderCheck = (headers: Headers, args: unknown) => string | undefined;

export function headerChecks(tools: readonly JsonObject[]): ReadonlyMap<string, HeaderCheck> {
  const checks = new Map<string, HeaderCheck>();
  for (const { name, inputSchema } of tools) {
    const mirrored = mirroredIn(inputSchema as JsonObject, []);
    if (mirrored.length > 0)
      checks.set(String(name), (headers, args) => {
        for (const argument of mirrored) {
          const flaw = mismatch(argument, headers, args);
          if (flaw !== undefined) return flaw;
        }
        return undefined;
      });
  }
  return checks;
}

function mirroredIn(schema: JsonObject, path: readonly string[]): readonly Mirrored[] {
  // Properties of a portable schema are schemas.
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>);
  return properties.flatMap(([name, property]) => {
    const here = [...path, name];
    const header = property["x-mcp-header"];
    const inner = mirroredIn(property, here);
    return typeof header === "string" ? [{ path: here, header: `Mcp-Param-${header}` }, ...inner] : inner;
  });
}

function mismatch({ path, header }: Mirrored, headers: Headers, args: unknown): string | undefined {
  const argument = path.reduce<unknown>((value, key) => Object(value)[key] as unknown, args);
  if (argument === undefined || argument === null) return undefined;
  const given = headers.get(header);
  if (given === null) return `the header ${header} is missing`;
  const decoded = decode(given);
  if (decoded === undefined) return `the header ${header} is not valid Base64 of UTF-8`;
  // A number has several notations.
  const same = decoded === String(argument) || (decoded !== "" && Number(decoded) === argument);
  return same ? undefined : `the header ${header} differs from the argument ${path.join(".")}`;
}

/** Decodes `=?base64?…?=`, for values a header cannot contain. Other values are literal. */
function decode(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, "base64");
  // Node skips invalid characters, so compare with the re-encoded value.
  return bytes.toString("base64") === encoded && isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}
