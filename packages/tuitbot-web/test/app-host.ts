import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

/** The side of the chat: runs in the page of the test, around the frame of the app. The client is in the test. */

type Params = Record<string, unknown>;
type Forward = (params: Params) => Promise<never>;

interface TestWindow extends Window {
  readonly callTool: Forward;
  readonly readResource: Forward;
  readonly openedLink: (url: string) => Promise<void>;
  showApp: (html: string, args: Params, result: never, theme: "light" | "dark") => Promise<void>;
  setTheme: (theme: "light" | "dark") => void;
}

/** The host's policy for a document that declares nothing: it loads nothing from anywhere. */
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'none'";

// The functions that the test puts there.
const test = window as unknown as TestWindow;

test.showApp = async (html, args, result, theme) => {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  document.body.append(frame);
  const bridge = new AppBridge(
    null,
    { name: "test host", version: "1" },
    { serverTools: {}, serverResources: {}, openLinks: {} },
    { hostContext: { theme } },
  );
  test.setTheme = (theme) => bridge.setHostContext({ theme });
  bridge.oncalltool = (params) => test.callTool(params);
  bridge.onreadresource = (params) => test.readResource(params);
  bridge.onopenlink = async ({ url }) => {
    await test.openedLink(url);
    return {};
  };
  bridge.onsizechange = ({ height }) => {
    if (height !== undefined) frame.style.height = `${height}px`;
  };
  const initialized = new Promise<void>((resolve) => {
    bridge.oninitialized = () => resolve();
  });
  const inner = frame.contentWindow;
  if (inner === null) throw new Error("The frame has no window.");
  await bridge.connect(new PostMessageTransport(inner, inner));
  frame.srcdoc = html.replace(
    "<head>",
    `<head><meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
  );
  await initialized;
  await bridge.sendToolInput({ arguments: args });
  await bridge.sendToolResult(result);
};
