import { registerHooks } from "node:module";

const loaded: string[] = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});
const { serveStdio } = await import("../src/mcp/stdio.ts");
const { notesApp } = await import("./notes-product.ts");

const [how] = process.argv.slice(2);
if (how === "modules") {
  const { protocolOut } = await import("../src/mcp/stdout.ts");
  process.stdin.once("data", () => {
    const sdk = loaded.filter((url) => url.includes("/@modelcontextprotocol/"));
    protocolOut(`${JSON.stringify({ sdk })}
`);
  });
}
serveStdio(notesApp().app, { fastPath: how !== "plain" });
