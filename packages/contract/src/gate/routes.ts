import { ProtocolError, ProtocolErrorCode, UriTemplate } from "@modelcontextprotocol/server";
import { quote } from "../bad-input.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { Exchange } from "./exchange.ts";
import type { GateServer } from "./gate-server.ts";

/** A request of a client, sent to one server. */
export type SendTo = (server: GateServer, params: JsonObject) => Promise<JsonObject>;

/** Lists of all servers together, and the server that a name or an address belongs to. */
export interface Routes {
  readonly list: (method: ListMethod, params: JsonObject, send: SendTo) => Promise<JsonObject>;
  /** The server of a prompt, and the prompt's name there. */
  readonly prompt: (name: string) => { readonly server: GateServer; readonly name: string };
  readonly resource: (uri: string, exchange?: Exchange) => Promise<GateServer>;
}

/** The member of each list's result. */
const LISTS = {
  "resources/list": { member: "resources", needs: "resources" },
  "resources/templates/list": { member: "resourceTemplates", needs: "resources" },
  "prompts/list": { member: "prompts", needs: "prompts" },
} as const;
export type ListMethod = keyof typeof LISTS;

const MAX_PAGES = 100;

/** Routes for these servers. With a single one, everything is its own, and its pages pass through. */
export function routesTo(servers: readonly GateServer[], log: (message: string) => void): Routes {
  const [first, ...others] = servers;
  const only = others.length === 0 ? first : undefined;
  /** Servers by the address of a resource, or by a template. The first server of the policy wins. */
  const owners = new Map<string, GateServer>();
  const templates = new Map<string, GateServer>();

  const offers = (method: ListMethod, { policy, info }: GateServer) =>
    info()?.capabilities[LISTS[method].needs] !== undefined &&
    (method === "prompts/list" ? policy.passesPrompts : policy.passesResources);

  async function listOf(
    method: ListMethod,
    server: GateServer,
    send: SendTo,
  ): Promise<readonly JsonObject[]> {
    const found: JsonObject[] = [];
    let params: JsonObject = {};
    for (let page = 0; page < MAX_PAGES; page++) {
      const result = await send(server, params);
      const listed = result[LISTS[method].member];
      if (Array.isArray(listed)) found.push(...listed.filter(isJsonObject));
      if (typeof result.nextCursor !== "string") break;
      params = { cursor: result.nextCursor };
    }
    return found;
  }

  async function listAll(method: ListMethod, send: SendTo): Promise<readonly JsonObject[]> {
    const lists = await Promise.all(
      servers
        .filter((server) => offers(method, server))
        .map(async (server) => {
          const found = await listOf(method, server, send).catch((error: Error) => {
            log(`${method} of ${server.policy.name} failed: ${error.message}`);
            return [];
          });
          return found.map((entry) => ({ server, entry }));
        }),
    );
    const seen = new Set<string>();
    return lists.flat().flatMap(({ server, entry }) => {
      if (method === "prompts/list")
        return [{ ...entry, name: `${server.policy.prefix}${String(entry.name)}` }];
      const [known, key] =
        method === "resources/list" ? [owners, String(entry.uri)] : [templates, String(entry.uriTemplate)];
      if (seen.has(key)) {
        log(`${server.policy.name} lists ${quote(key)}, which another server lists too. It is left out.`);
        return [];
      }
      seen.add(key);
      known.set(key, server);
      return [entry];
    });
  }

  function ownerOf(uri: string): GateServer | undefined {
    const [, byTemplate] =
      [...templates].find(([template]) => template === uri || isMatch(template, uri)) ?? [];
    return owners.get(uri) ?? byTemplate;
  }

  return {
    async list(method, params, send) {
      if (only !== undefined) return send(only, params);
      return { [LISTS[method].member]: await listAll(method, send) };
    },
    prompt(name) {
      const server = servers.find(({ policy }) => policy.prefix !== "" && name.startsWith(policy.prefix));
      const found = server ?? servers.find(({ policy }) => policy.prefix === "");
      if (found === undefined)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${quote(name)}.`);
      return { server: found, name: name.slice(found.policy.prefix.length) };
    },
    async resource(uri, exchange) {
      if (only !== undefined) return only;
      let found = ownerOf(uri);
      if (found === undefined) {
        // Nobody has listed it yet, or it is new.
        const send: (method: ListMethod) => SendTo = (method) => (server, params) =>
          server.forward(method, params, exchange);
        await listAll("resources/list", send("resources/list"));
        await listAll("resources/templates/list", send("resources/templates/list"));
        found = ownerOf(uri);
      }
      if (found === undefined)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No server has a resource ${quote(uri)}.`, {
          uri,
        });
      return found;
    },
  };
}

function isMatch(template: string, uri: string): boolean {
  try {
    return new UriTemplate(template).match(uri) !== null;
  } catch {
    // A template that cannot be read matches nothing.
    return false;
  }
}
