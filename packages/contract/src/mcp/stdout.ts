import { Console } from "node:console";

/**
 * Importing this module, before any other, reserves stdout for the protocol: whatever else writes there, by
 * `console` or directly, is sent to stderr.
 */
export const protocolOut: NodeJS.WritableStream["write"] = process.stdout.write.bind(process.stdout);

process.stdout.write = process.stderr.write.bind(process.stderr);
globalThis.console = new Console(process.stderr, process.stderr);
