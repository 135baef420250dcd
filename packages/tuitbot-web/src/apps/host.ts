import type {
  McpUiHostContext,
  McpUiInitializeResult,
  McpUiToolResultNotification,
} from "@modelcontextprotocol/ext-apps";

export type ToolResult = McpUiToolResultNotification["params"];

/** Events from the host: the result of the call that the app is shown for, and the theme. */
export interface HostEvents {
  readonly onResult: (result: ToolResult) => void;
  readonly onCancelled: () => void;
  readonly onContext: (context: McpUiHostContext) => void;
}

/** The client that shows an app. It does what it wants with each request. */
export interface Host {
  readonly callTool: (name: string, args: object) => Promise<ToolResult>;
  /** The JSON of a resource. */
  readonly readJson: (uri: string) => Promise<unknown>;
  /** Whether the host opened it. */
  readonly openLink: (url: string) => Promise<boolean>;
}

const PROTOCOL = "2026-01-26";

/**
 * Connects to the host by messages to the window around this one, as MCP Apps defines them. The library for this is ten
 * times as large as the three apps.
 */
export async function connectHost(events: HostEvents): Promise<Host> {
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  const send = (message: object) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const request = <Result>(method: string, params: object): Promise<Result> =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      // The protocol defines the result of each method; its members are read defensively.
      waiting.set(id, { resolve: (result) => resolve(result as Result), reject });
      send({ id, method, params });
    });

  window.addEventListener("message", ({ source, data }) => {
    // Only the host is around this window; other frames may send messages too.
    if (source !== window.parent || data?.jsonrpc !== "2.0") return;
    const { id, method, params, result, error } = data;
    if (method === undefined) {
      const asked = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) asked?.resolve(result);
      else asked?.reject(new Error(String(error.message)));
    } else if (id === undefined) notified(method, params);
    else if (method === "ping" || method === "ui/resource-teardown") send({ id, result: {} });
    else send({ id, error: { code: -32601, message: "Method not found" } });
  });

  function notified(method: string, params: unknown): void {
    if (method === "ui/notifications/tool-result") events.onResult(params as ToolResult);
    else if (method === "ui/notifications/tool-cancelled") events.onCancelled();
    else if (method === "ui/notifications/host-context-changed") events.onContext(params as McpUiHostContext);
  }

  const { hostContext } = await request<McpUiInitializeResult>("ui/initialize", {
    appInfo: { name: "tuitbot", version: "1" },
    appCapabilities: {},
    protocolVersion: PROTOCOL,
  });
  events.onContext(hostContext);
  send({ method: "ui/notifications/initialized" });
  new ResizeObserver(() => {
    const { scrollWidth: width } = document.documentElement;
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    send({ method: "ui/notifications/size-changed", params: { width, height } });
  }).observe(document.body);

  return {
    callTool: (name, args) => request("tools/call", { name, arguments: args }),
    async readJson(uri) {
      const { contents } = await request<{ contents: readonly { text?: string }[] }>("resources/read", {
        uri,
      });
      return JSON.parse(contents[0]?.text ?? "null");
    },
    async openLink(url) {
      const answer = await request<{ isError?: boolean }>("ui/open-link", { url }).catch(() => ({
        isError: true,
      }));
      return answer.isError !== true;
    },
  };
}
