import type { Outcome } from "@toolpact/outcome";
import type { Failure } from "./errors.ts";
import type { JsonObject } from "./json.ts";
import type { RunTools } from "./tool.ts";

/** Content that a client reads by URI. `{name}` parts of the URI are parameters. */
export interface ResourceDeclaration<Services, Need extends keyof Services, Code extends string> {
  /** `config://app`, or a template such as `post://{id}`. */
  readonly uri: string;
  /** The name used by programs. */
  readonly name: string;
  /** The display name. */
  readonly title: string;
  /** Tells the model what it contains and when to read it. */
  readonly description: string;
  /** The type of its content, such as `text/markdown`. */
  readonly mimeType: string;
  /** Sent with the content as `_meta`. */
  readonly meta?: JsonObject;
  /** The services that `read` uses. */
  readonly needs: readonly Need[];
  /** Values of a parameter that start with the typed text. */
  readonly complete?: Readonly<Record<string, (prefix: string) => readonly string[]>>;
  /** Returns the content, with the URI's parameters and the services in `needs`. */
  readonly read: (
    request: { readonly uri: string; readonly params: Readonly<Record<string, string>> },
    context: Pick<Services, Need> & RunTools,
  ) => Promise<Outcome<ResourceContent, Failure<Code>>>;
}

/** The type of an MCP App: a self-contained HTML document. */
export const APP_MIME_TYPE = "text/html;profile=mcp-app";

export type ResourceContent = { readonly text: string } | { readonly base64: string };

/** A declared resource with its types erased. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  readonly meta?: JsonObject;
  readonly needs: readonly string[];
  readonly isTemplate: boolean;
  readonly complete: Readonly<Record<string, (prefix: string) => readonly string[]>>;
  /** Parameters of the URI; undefined if it does not match. */
  readonly match: (uri: string) => Readonly<Record<string, string>> | undefined;
  readonly read: (
    request: { readonly uri: string; readonly params: Readonly<Record<string, string>> },
    context: RunTools & object,
  ) => Promise<Outcome<ResourceContent, Failure>>;
}

export function resource<Services, Need extends keyof Services & string, Code extends string>(
  declaration: ResourceDeclaration<Services, Need, Code>,
): Resource {
  const names = [...declaration.uri.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
  const pattern = new RegExp(
    `^${declaration.uri
      .split(/\{\w+\}/)
      .map(escapeRegExp)
      .join("([^/]+)")}$`,
  );
  return {
    ...declaration,
    isTemplate: names.length > 0,
    complete: declaration.complete ?? {},
    match(uri) {
      const found = pattern.exec(uri);
      return found === null
        ? undefined
        : Object.fromEntries(names.map((name, i) => [name, decode(found[i + 1] ?? "")]));
    },
    read: (request, context) => declaration.read(request, context as Pick<Services, Need> & RunTools),
  };
}

function escapeRegExp(literal: string): string {
  return literal.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Invalid percent-encoding is used unchanged.
    return part;
  }
}
