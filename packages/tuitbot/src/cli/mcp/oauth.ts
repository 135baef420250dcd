import type { CommandFailure } from "@toolpact/cli";
import type { OAuthOptions } from "@toolpact/contract/internal/cli";
import { failed, type Outcome, ok } from "@toolpact/outcome";
import { isWorkflowProfile, type Profile, profiles } from "../../profiles.ts";
import { loadSurface } from "../../server/load-surface.ts";
import type { OpenedServer } from "../open-server.ts";

/** A scope, and the profile that it allows. */
interface Grant {
  readonly scope: string;
  readonly profile: Profile;
  readonly tools: ReadonlySet<unknown>;
}

/**
 * The configured issuer whose tokens are accepted; undefined if none is set. A token names the caller (its subject,
 * which is an agent of ours) and restricts that agent's profile (its scopes).
 */
export async function oauthOf({
  config,
  identify,
  profile,
}: OpenedServer): Promise<Outcome<OAuthOptions | undefined, CommandFailure>> {
  const { oauth, server } = config.values;
  const { issuer } = oauth;
  if (issuer === undefined) return ok(undefined);
  const resource =
    oauth.resource ?? (server.public_url === undefined ? undefined : new URL("/mcp", server.public_url).href);
  if (resource === undefined)
    return failed({
      message: "oauth.issuer is set, and it is not known for which address its tokens have to be.",
      fix: "Set oauth.resource to the public address of this server, such as https://bot.example/mcp.",
    });
  if (!isWorkflowProfile(profile))
    return failed({
      message: `oauth.issuer is set, and the profile ${profile} knows no agents: it stores nothing.`,
      fix: "Serve the profile write or admin; each agent is offered the tools of its profile.",
    });
  // The narrowest first.
  const grants = (await Promise.all(oauth.scopes.map(grantOf))).toSorted(
    (one, other) => one.tools.size - other.tools.size,
  );
  const granted = (scopes: readonly string[]) => grants.filter(({ scope }) => scopes.includes(scope));
  return ok({
    issuer,
    resource,
    scopes: grants.map(({ scope }) => scope),
    async principal({ subject, scopes }) {
      const widest = granted(scopes).at(-1);
      if (widest === undefined)
        return { refused: "scope", scopes: grants.slice(0, 1).map(({ scope }) => scope) };
      const agent = subject === undefined ? undefined : await identify({ subject }, widest.profile);
      return (
        agent ?? {
          refused: "unknown",
          message:
            "The issuer vouches for this caller, and it is no agent of this server. The operator adds it with `tuitbot agents add NAME --subject SUBJECT`.",
        }
      );
    },
    missingScopes(tool, scopes) {
      const giving = grants.filter(({ tools }) => tools.has(tool));
      return giving.some(({ scope }) => scopes.includes(scope))
        ? []
        : giving.slice(0, 1).map(({ scope }) => scope);
    },
  });
}

async function grantOf(text: string): Promise<Grant> {
  const at = text.lastIndexOf("=");
  // The schema of the configuration takes no other.
  const profile = profiles.find((name) => name === text.slice(at + 1)) ?? "readonly";
  const { tools } = await loadSurface(profile);
  return { scope: text.slice(0, at), profile, tools: new Set(tools.map(({ name }) => name)) };
}
