import { userInfo } from "node:os";
import { once } from "@toolpact/contract";
import type { HttpExtension } from "@toolpact/contract/internal/cli";
import { type AgentAccess, connectLine } from "../app/first-steps.ts";
import type { SignInLinks, Visitor } from "../app/sign-in/sessions.ts";
import { isThisMachine } from "../config/this-machine.ts";
import type { TuitbotServer } from "../server/server.ts";
import type { AccountSitesSetting } from "./account-sites.ts";
import { publicPlaceOf } from "./public-place.ts";
import { sendDuePosts } from "./send-due.ts";

/** The page of a server that is being started. */
export interface ServedWeb {
  readonly extension: HttpExtension;
  /** The addresses of the page, given that of the MCP server. */
  readonly addresses: (mcpUrl: string) => PageAddresses;
}

export interface PageAddresses {
  /** Signs the next browser of this machine in; undefined where the page is not served by a name of this machine. */
  readonly link: string | undefined;
  /** For people with a passphrase, on any machine; undefined where none is configured. */
  readonly publicUrl: string | undefined;
}

export interface ServeWebSetting
  extends Pick<AccountSitesSetting, "clients" | "speed" | "now" | "onError" | "runSetup" | "signal"> {
  readonly access: AgentAccess;
}

/**
 * Serves the dashboard, if the server stores anything that it could show. Nothing of it is loaded before the first
 * request that needs it.
 */
export async function serveWeb(
  server: TuitbotServer,
  { access, ...setting }: ServeWebSetting,
): Promise<ServedWeb | undefined> {
  const { personCore } = server;
  if (personCore === undefined) return undefined;
  const publicPlace = publicPlaceOf(server.config.values.server);
  const { SignInLinks } = await import("../app/sign-in/sessions.ts");
  const links: SignInLinks = new SignInLinks(setting.now);
  let listensAt: string | undefined;
  const firstLines = (origin: string) => {
    const { hostname } = new URL(origin);
    // Other machines know the server by its public name.
    const url = isThisMachine(hostname) && listensAt !== undefined ? listensAt : `${origin}/mcp`;
    return { connect: connectLine(url, access, server.config.values.server) };
  };
  const loaded = once(async () => {
    const { accountSites } = await import("./account-sites.ts");
    return accountSites({ ...setting, server, personCore, links, publicPlace, firstLines });
  });
  const stopSending = sendDuePosts({ ...setting, personCore });
  return {
    extension: {
      answer: async (...given) => (await loaded()).answer(...given),
      async close() {
        await stopSending();
        await (await loaded.current())?.close();
      },
    },
    addresses: (mcpUrl) => {
      listensAt = mcpUrl;
      const url = new URL("/", mcpUrl);
      // A certificate covers the public name; browsers warn about any other.
      const hasLink = url.protocol === "http:" && isThisMachine(url.hostname);
      if (hasLink) url.hash = `signin=${links.create(machineOwner())}`;
      return {
        link: hasLink ? url.href : undefined,
        publicUrl: publicPlace && new URL("/", publicPlace.origin).href,
      };
    },
  };
}

/** The user who started the server: an owner. */
function machineOwner(): Visitor {
  try {
    return { person: userInfo().username, role: "owner" };
  } catch {
    // The user has no entry in the machine's list of users, as in some containers.
    return { person: `uid ${process.getuid?.()}`, role: "owner" };
  }
}
