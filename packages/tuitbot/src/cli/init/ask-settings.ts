import { priceBefore } from "@toolpact/x-api";
import type { Prompts } from "../../app/prompts.ts";
import type { KeyValues } from "../../config/config-file.ts";
import type { Config } from "../../config/schema.ts";
import { callbackAddress } from "../../x/signed-in-account.ts";
import type { Context } from "../context.ts";
import { dollars } from "../daily/daily-session.ts";
import type { Setup } from "./setup-file.ts";

const CONSOLE = "https://console.x.com";

/** Asks for the app of X's developer console, after telling what to enter there. */
export async function askForApp(
  { config }: Setup,
  prompts: Prompts,
  { machine }: Context,
): Promise<KeyValues> {
  const { client_id } = config.x_api;
  if (client_id !== "" && (await prompts.confirm(`Keep the X app with the client id ${client_id}?`, true)))
    return {};
  prompts.note("In X's developer console", consoleSteps(callbackAddress(config.auth)));
  if (await prompts.confirm(`Open ${CONSOLE} in the browser?`, true)) await machine.openPage(CONSOLE);
  const id = await prompts.text({
    message: "Client ID (under Keys and tokens, OAuth 2.0 Client ID)",
    check: (answer) => (/^\S+$/.test(answer.trim()) ? undefined : "Paste the id; it has no spaces."),
  });
  const type = await prompts.choose(
    "Type of App that you chose",
    [
      { value: "native", label: "Native App", hint: "no secret" },
      { value: "web", label: "Web App, Automated App or Bot", hint: "has a Client Secret" },
    ],
    config.x_api.client_secret === undefined ? "native" : "web",
  );
  if (type === "native") return { "x_api.client_id": id.trim() };
  const secret = (await prompts.secret("Client Secret")).trim();
  return { "x_api.client_id": id.trim(), ...(secret !== "" && { "x_api.client_secret": secret }) };
}

function consoleSteps(callback: string): string {
  return [
    `1. Go to ${CONSOLE}, sign in with your X account, and buy a few credits:`,
    "   X charges for each request. There is no free tier for new accounts.",
    "2. Click Create App. Any name and description will do.",
    "3. Open the app, User authentication settings, Set up, and enter:",
    "",
    "   App permissions              Read and write and Direct message",
    "   Type of App                  Native App",
    `   Callback URI / Redirect URL  ${callback}`,
    "   Website URL                  any page of yours, such as https://example.com",
    "",
    "4. Click Save, and copy the Client ID that X shows.",
  ].join("\n");
}

/** Asks how much may be spent at X. */
export async function askForCaps({ config }: Setup, prompts: Prompts): Promise<KeyValues> {
  const { max_usd_per_day, max_usd_per_month, unlimited } = config.budget;
  prompts.note(
    "Spending",
    `X charges for each request: ${pricesText()}.\nNo call goes over these caps. tuitbot spend shows what was spent.`,
  );
  const day = await askForDollars("At most how many dollars a day?", max_usd_per_day, prompts);
  const month = await askForDollars(
    "At most how many dollars a month?",
    Math.max(max_usd_per_month, day),
    prompts,
  );
  return {
    "budget.max_usd_per_day": day,
    "budget.max_usd_per_month": month,
    ...(unlimited && { "budget.unlimited": false }),
  };
}

function pricesText(): string {
  const post = (text: string) => dollars(priceBefore("createPosts", { body: { text } }).usd);
  const read = dollars(priceBefore("getPostsById", {}).usd);
  return `a post ${post("Hello")}, one with a link ${post("https://example.com")}, reading a post ${read}`;
}

async function askForDollars(message: string, initial: number, prompts: Prompts): Promise<number> {
  const answer = await prompts.text({
    message,
    initial: String(initial),
    check: (text) =>
      /^\$?\d+([.,]\d+)?$/.test(text.trim()) ? undefined : "Enter a number of dollars, such as 5 or 0.50.",
  });
  return Number(answer.trim().replace("$", "").replace(",", "."));
}

/** Asks for the language model that writes drafts, if the user wants one. */
export async function askForModel({ config }: Setup, prompts: Prompts): Promise<KeyValues> {
  const { provider, api_key, model } = config.llm;
  const chosen = await prompts.choose<Config["llm"]["provider"]>(
    "Language model that writes drafts and replies",
    [
      { value: "", label: "None", hint: "your MCP client writes; the autopilot writes nothing" },
      { value: "openai", label: "OpenAI" },
      { value: "anthropic", label: "Anthropic" },
      { value: "groq", label: "Groq" },
      { value: "ollama", label: "Ollama", hint: "on this machine, no key" },
    ],
    provider,
  );
  if (chosen === "") return { "llm.provider": chosen };
  const key = chosen === "ollama" ? "" : await askForKey(chosen === provider ? api_key : undefined, prompts);
  const name = await prompts.text({
    message: "Name of the model (empty for the usual one)",
    initial: chosen === provider ? model : "",
  });
  return { "llm.provider": chosen, ...(key !== "" && { "llm.api_key": key }), "llm.model": name.trim() };
}

async function askForKey(known: string | undefined, prompts: Prompts): Promise<string> {
  if (known !== undefined && (await prompts.confirm("Keep the API key that is set?", true))) return known;
  for (;;) {
    const key = (await prompts.secret("API key of the provider")).trim();
    if (key !== "") return key;
    prompts.warn("This provider needs a key.");
  }
}
