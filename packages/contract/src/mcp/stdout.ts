import { Console } from "node:console";

/** Import this module first: it reserves stdout for the protocol, and sends all other output to stderr. */
export const protocolOut: NodeJS.WritableStream["write"] = process.stdout.write.bind(process.stdout);

process.stdout.write = process.stderr.write.bind(process.stderr);
globalThis.console = new Console(process.stderr, process.stderr);
