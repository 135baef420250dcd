import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import { build } from "esbuild";
import type { FrameLocator, Page } from "playwright-core";

/** A chat that shows apps, in a page of a real browser, with a real client behind it. */
export interface ChatWindow {
  /** Links that it was asked to open. */
  readonly opened: readonly string[];
  /** Addresses that an app tried to load. */
  readonly requests: readonly string[];
  /** Makes a call as the agent does, and shows the app of the tool with its answer. */
  readonly call: (tool: string, args: Record<string, unknown>) => Promise<ShownApp>;
}

export interface ShownApp {
  readonly frame: FrameLocator;
  readonly result: CallToolResult;
  readonly uri: string;
}

const PAGE = `<!doctype html><meta charset="utf-8"><title>A chat</title>
  <style>body { margin: 0; font: 15px system-ui } iframe { border: 0; width: 100%; height: 300px; display: block }</style>`;

export async function chatWindow(
  page: Page,
  client: Client,
  theme: "light" | "dark" = "light",
): Promise<ChatWindow> {
  const opened: string[] = [];
  const requests: string[] = [];
  const host = await build({
    entryPoints: [new URL("app-host.ts", import.meta.url).pathname],
    bundle: true,
    format: "iife",
    write: false,
    logLevel: "error",
  });
  const { tools } = await client.listTools();
  await page.route("**", async (route) => {
    const url = route.request().url();
    if (url === "http://chat.test/") return route.fulfill({ contentType: "text/html", body: PAGE });
    requests.push(url);
    await route.abort();
  });
  await page.exposeFunction("callTool", (params: Parameters<Client["callTool"]>[0]) =>
    client.callTool(params),
  );
  await page.exposeFunction("readResource", (params: { uri: string }) => client.readResource(params));
  await page.exposeFunction("openedLink", (url: string) => void opened.push(url));
  await page.goto("http://chat.test/");
  await page.addScriptTag({ content: host.outputFiles[0]?.text ?? "" });
  return {
    opened,
    requests,
    async call(tool, args) {
      const result = await client.callTool({ name: tool, arguments: args });
      const meta = tools.find(({ name }) => name === tool)?._meta;
      const uri = String(Object(meta?.ui).resourceUri);
      const { contents } = await client.readResource({ uri });
      const [content] = contents;
      const html = content !== undefined && "text" in content ? content.text : "";
      await page.evaluate(() => document.querySelector("iframe")?.remove());
      await page.evaluate(
        ([html, args, result, theme]) =>
          (window as unknown as { showApp: (...given: unknown[]) => Promise<void> }).showApp(
            html,
            args,
            result,
            theme,
          ),
        [html, args, result, theme] as const,
      );
      return { frame: page.frameLocator("iframe"), result, uri };
    },
  };
}
