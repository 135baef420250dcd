import { Server } from "node:net";
import { pathToFileURL } from "node:url";
import { untilOpen } from "./until-open.ts";

/** xmcp fixes the port at build time, so it is replaced here. */
const [transport, port] = process.argv.slice(2);
const fileOf = (name: string) => pathToFileURL(`${process.env.XMCP_BUILT}/${name}.js`).href;
if (transport === "http") {
  // One of its many signatures, which takes them all.
  const listen = Server.prototype.listen as (this: Server, ...args: unknown[]) => Server;
  Server.prototype.listen = function (this: Server, _port: unknown, ...rest: unknown[]) {
    return listen.call(this, Number(port), ...rest);
  };
  await import(fileOf("http"));
  await untilOpen(Number(port));
  console.log("ready");
} else {
  await import(fileOf("stdio"));
}
