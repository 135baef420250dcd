import { userInfo } from "node:os";
import type { Site } from "@toolpact/contract/cli";
import type { TuitbotServer } from "../../server/server.ts";
import type { SignInLinks, Visitor } from "../../web/sign-in.ts";
import type { Context } from "../context.ts";

/** The page of a server that is being started. */
export interface ServedWeb {
  readonly site: Site;
  /** The address that signs the next browser in, given that of the MCP server. */
  readonly link: (mcpUrl: string) => string;
}

/**
 * Serves the page, if the server stores anything that a person could look at. Nothing of it is loaded before the first
 * request that needs it.
 */
export async function serveWeb(
  server: TuitbotServer,
  speed: number,
  { machine, terminal }: Context,
): Promise<ServedWeb | undefined> {
  const { personCore } = server;
  if (personCore === undefined) return undefined;
  const { SignInLinks } = await import("../../web/sign-in.ts");
  const links: SignInLinks = new SignInLinks(machine.now);
  const onError = (message: string) => terminal.err(`tuitbot: ${message}\n`);
  let loading: Promise<Site> | undefined;
  const loaded = () => {
    loading ??= import("./open-web.ts").then(({ openWeb }) =>
      openWeb({ server, personCore, links, speed, now: machine.now, onError }),
    );
    return loading;
  };
  return {
    site: {
      answer: async (request, readBody) => (await loaded()).answer(request, readBody),
      close: async () => (await loading)?.close(),
    },
    link: (mcpUrl) => {
      const url = new URL("/", mcpUrl);
      url.hash = `signin=${links.create(machineOwner())}`;
      return url.href;
    },
  };
}

/** Whoever started the server, and may do everything. */
function machineOwner(): Visitor {
  try {
    return { person: userInfo().username, role: "owner" };
  } catch {
    // The user has no entry in the machine's list of users, as in some containers.
    return { person: `uid ${process.getuid?.()}`, role: "owner" };
  }
}
