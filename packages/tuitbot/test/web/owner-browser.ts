import type { CommandArgs, CommandName, Commands } from "../../src/web/api.ts";
import type { Served } from "./served.ts";

type Decision = Omit<Extract<Commands["client_decide"]["request"], { approve: true }>, "approve" | "request">;

/** An owner who is signed in at a browser that keeps all cookies, also those of clients' sign-ins. */
export async function ownerBrowser(
  { url, link }: Pick<Served, "url" | "link">,
  proof: { readonly link: string } | { readonly name: string; readonly passphrase: string } = { link },
) {
  const cookies = new Map<string, string>();
  let csrf = "";
  async function send(path: string | URL, body?: object): Promise<Response> {
    // The server may go by a public name, which does not resolve here.
    const { pathname, search } = new URL(path, url);
    const response = await fetch(new URL(pathname + search, url), {
      method: body === undefined ? "GET" : "POST",
      redirect: "manual",
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(body !== undefined && { "content-type": "application/json", "x-tuitbot-csrf": csrf }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    return response;
  }
  async function command<Name extends CommandName>(
    name: Name,
    ...[args]: CommandArgs<Name>
  ): Promise<Commands[Name]["answer"]> {
    return (await send(`/api/commands/${name}`, args ?? {})).json() as Promise<Commands[Name]["answer"]>;
  }
  /** Opens the address of a client; resolves to the id of its request. */
  async function open(authorize: URL): Promise<string> {
    const asked = new URL((await send(authorize)).headers.get("location") ?? "", url);
    return new URLSearchParams(asked.hash.split("?")[1]).get("request") ?? "";
  }
  /** Allows a request; resolves to the address at which the client gets its code. */
  async function allow(request: string, permissions: Decision): Promise<URL> {
    const { location } = await command("client_decide", { approve: true, request, ...permissions });
    return new URL((await send(location)).headers.get("location") ?? "");
  }
  const signedIn = (await (await send("/api/sign-in", proof)).json()) as { csrf_token: string };
  csrf = signedIn.csrf_token;
  return {
    command,
    open,
    allow,
    /** Opens the address of a client, and connects it. */
    async connect(authorize: URL, permissions: Decision) {
      await fetch(await allow(await open(authorize), permissions));
    },
  };
}
