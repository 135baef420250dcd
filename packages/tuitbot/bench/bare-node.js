// Node alone: answers its one question by hand and loads nothing.
let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (part) => {
  const lines = (rest + part).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const { id } = JSON.parse(line);
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete"}}\n`);
  }
});
