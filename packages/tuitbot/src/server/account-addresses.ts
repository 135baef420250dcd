import type { JsonObject } from "@toolpact/contract";
import type { Surface } from "@toolpact/contract/internal";

const OWN = /^tuitbot:\/\/(config|drafts|approvals)(\/|$)/;

/** True if the resource at this address belongs to one account. */
export function namesAccount(uri: string): boolean {
  return OWN.test(uri);
}

/** The address of an account's resource on a server for several accounts. */
export function accountAddress(account: string, uri: string): string {
  return uri.replace(/^tuitbot:\/\//, `tuitbot://accounts/${account}/`);
}

/**
 * The lists of a server for several accounts. Who may act for several names one in every call; who may
 * act for one calls as if there were no other.
 */
export function surfaceForAccounts(surface: Surface, own: readonly string[]): Surface {
  const ofAccounts = [
    ...surface.resources.filter(({ uri }) => namesAccount(String(uri))),
    ...surface.resourceTemplates.filter(({ uriTemplate }) => namesAccount(String(uriTemplate))),
  ].map(({ uri, uriTemplate, name, ...about }) => ({
    uriTemplate: accountAddress("{account}", String(uri ?? uriTemplate)),
    name: `${String(name)} of an account`,
    ...about,
  }));
  const isSeveral = own.length > 1;
  return {
    ...surface,
    ...(isSeveral && {
      instructions: withNames(surface.instructions, own),
      tools: surface.tools.map((tool) => ({
        ...tool,
        inputSchema: withAccount(tool.inputSchema as JsonObject, own),
      })),
    }),
    resources: [ACCOUNTS, ...surface.resources.filter(({ uri }) => !isSeveral || !namesAccount(String(uri)))],
    resourceTemplates: [
      ...surface.resourceTemplates.filter(
        ({ uriTemplate }) => !isSeveral || !namesAccount(String(uriTemplate)),
      ),
      ...ofAccounts,
    ],
  };
}

const ACCOUNTS = {
  uri: "tuitbot://accounts",
  name: "accounts",
  title: "Accounts",
  description: "Names of the accounts that you may act for.",
  mimeType: "application/json",
};

/** In every tool of the list, so it is short; many names are in a resource instead. */
function withAccount(schema: JsonObject, own: readonly string[]): JsonObject {
  const names = own.join();
  const account = names.length > MAX_CHARACTERS ? { description: "From tuitbot://accounts" } : { enum: own };
  return {
    ...schema,
    properties: { account: { type: "string", ...account }, ...(schema.properties as JsonObject) },
    required: ["account", ...((schema.required as readonly string[] | undefined) ?? [])],
  };
}

const MAX_CHARACTERS = 120;

/** Clients cut instructions at 2,048 characters. */
function withNames(instructions: string, own: readonly string[]): string {
  const several = `${instructions}\nYou act for several accounts of X: every tool takes \`account\`, `;
  const named = `${several}one of ${own.join(", ")}.`;
  return named.length <= 2_048 ? named : `${several}a name from tuitbot://accounts.`.slice(0, 2_048);
}
