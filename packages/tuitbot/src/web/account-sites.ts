import type { HttpExtension } from "@toolpact/contract/internal/cli";
import type { TuitbotServer } from "../server/server.ts";
import { sendDuePosts } from "./send-due.ts";
import { type WebSetting, webSite } from "./site.ts";

export interface AccountSitesSetting
  extends Omit<WebSetting, "server" | "base" | "accounts" | "personCore" | "runSetup"> {
  readonly server: Pick<TuitbotServer, "accounts" | "config" | "coreOf" | "isSandbox">;
  readonly personCore: WebSetting["personCore"];
  /** Runs the setup of one account. */
  readonly runSetup: (
    account: string,
    ...given: Parameters<WebSetting["runSetup"]>
  ) => ReturnType<WebSetting["runSetup"]>;
}

/**
 * The dashboards of a server: its own account at `/`, every other one at `/accounts/NAME/`. Each has its own sessions
 * and passkeys. A dashboard is opened with its first request, and from then on the posts of its schedule are published.
 */
export function accountSites(setting: AccountSitesSetting): HttpExtension {
  const { server } = setting;
  const home = server.config.account;
  const pathOf = (name: string) => (name === home ? "" : `/accounts/${name}`);
  const shared = {
    ...setting,
    accounts: server.accounts.map((name) => ({ name, path: pathOf(name) })),
  };
  const own = webSite({ ...shared, base: "", runSetup: (...given) => setting.runSetup(home, ...given) });
  const others = new Map<string, Promise<Site | undefined>>();

  function siteOf(name: string): Promise<Site | undefined> {
    const found = others.get(name) ?? open(name);
    others.set(name, found);
    return found;
  }

  async function open(name: string): Promise<Site | undefined> {
    const opened = await server.coreOf(name);
    if (!opened.ok || opened.value.personCore === undefined) {
      if (!opened.ok) setting.onError(`${name}: ${opened.failure.message}`);
      // Its settings may be fixed before the next request.
      others.delete(name);
      return undefined;
    }
    const { config, personCore } = opened.value;
    const stopSending = sendDuePosts({ ...setting, personCore });
    const site = webSite({
      ...shared,
      server: { isSandbox: server.isSandbox, config },
      personCore,
      base: pathOf(name),
      // Clients that are added by URL are signed in at the dashboard of the server's own account.
      clients: undefined,
      runSetup: (...given) => setting.runSetup(name, ...given),
    });
    return {
      answer: site.answer,
      async close() {
        await stopSending();
        await site.close();
      },
    };
  }

  return {
    async answer(request, ...rest) {
      const { pathname } = new URL(request.url);
      const [, name, after = ""] = /^\/accounts\/([^/]+)(\/.*)?$/.exec(pathname) ?? [];
      if (name === undefined) return own.answer(request, ...rest);
      if (!server.accounts.includes(name)) return undefined;
      // Links of messages name the account, also to a server that was started for it alone.
      if (name === home || after === "") return redirect(name === home ? after || "/" : `${pathname}/`);
      return (await siteOf(name))?.answer(request, ...rest);
    },
    async close() {
      const opened = await Promise.all(others.values());
      await Promise.all([own, ...opened].map((site) => site?.close()));
    },
  };
}

type Site = HttpExtension;

/** Browsers keep the part after `#`. */
function redirect(path: string): Response {
  return new Response(null, { status: 302, headers: { location: path } });
}
