import { once } from "node:events";
import { TokenKeeper } from "../src/oauth/token-keeper.ts";

/** Prints when it is ready, and gets a token on request. */
const [baseUrl = "", path = ""] = process.argv.slice(2);
const app = { clientId: "an-app", redirectUri: "http://127.0.0.1:8400/callback" };
const keeper = new TokenKeeper({ app, path, baseUrl, loginCommand: "login" });
console.log("ready");
await once(process.stdin, "data");
console.log(JSON.stringify(await keeper.userToken()));
process.exit();
