/** The way to add this server to each client, by its address and without a token. */
export function clientLines(url: string): readonly string[] {
  const isPublic = new URL(url).protocol === "https:";
  const json = JSON.stringify({ name: "tuitbot", type: "http", url });
  const rows = [
    // Hosted clients cannot reach this machine itself.
    ...(isPublic
      ? [
          ["Claude", `Settings, Connectors, Add custom connector: ${url}`],
          ["ChatGPT", `Settings, Apps, Create (developer mode), OAuth: ${url}`],
        ]
      : []),
    ["Claude Code", `claude mcp add --transport http tuitbot ${url}`],
    ["Codex", `codex mcp add tuitbot --url ${url}`],
    ["VS Code", `code --add-mcp '${json}'`],
  ];
  return [
    "Or add it without a token. The client opens a browser in which you sign in and choose what it may do:",
    ...rows.map(([client = "", line = ""]) => `     ${client.padEnd(12)} ${line}`),
    ...(isPublic
      ? ["   Set the name and passphrase of an owner first: npx tuitbot people add NAME --role owner"]
      : []),
    "",
  ];
}
