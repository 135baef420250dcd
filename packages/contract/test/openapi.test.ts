import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { runInMemory } from "@toolpact/cli/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { program } from "../src/command/program.ts";
import { defineErrors, failed, type JsonObject, type SuccessNotes } from "../src/index.ts";
import { defineProduct, oneStackApp, successEnvelope } from "../src/internal.ts";
import {
  type OpenApiAppOptions,
  type OpenApiFacts,
  openApiApp,
  openApiErrors,
  openApiTools,
} from "../src/openapi/index.ts";
import { connect, fuzz, lint } from "../src/testing/index.ts";

const shop = readFileSync(new URL("./openapi-shop.yaml", import.meta.url), "utf8");
const SECRET = "s3cret-of-the-shop";
/** Its shape is masked in records. */
const NEW_KEY = `sk_live_${"a1".repeat(12)}`;

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

const seen: Seen[] = [];
let base = "";
const server = createServer(async (request, response) => {
  let body = "";
  request.setEncoding("utf8");
  for await (const part of request) body += part;
  const { method = "", url = "", headers } = request;
  seen.push({ method, url, headers, body });
  answer(new URL(url, "http://shop"), response);
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const cat = { id: "7", name: "Tom", kind: "cat", age: 3 };

/** Answers by path as documented, except `/status` and pets from 500 on. */
function answer({ pathname }: URL, response: ServerResponse): void {
  const json = (status: number, value: unknown, headers = {}) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
  const status = /^\/v1\/status\/(\d+)$/.exec(pathname)?.[1];
  switch (status) {
    case undefined:
      break;
    case "1": // The connection breaks.
      response.destroy();
      return;
    case "2": // Nothing ever comes.
      return;
    case "3":
      response.writeHead(200, { "content-type": "application/json" }).end(`"${"x".repeat(300_000)}"`);
      return;
    case "4":
      response
        .writeHead(200, { "content-type": "application/json" })
        .end("[".repeat(9_000) + "]".repeat(9_000));
      return;
    case "302":
      response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
      return;
    default:
      json(Number(status), { error: `no, ${SECRET} is wrong` }, { "retry-after": "7" });
      return;
  }
  switch (pathname) {
    case "/v1/pets":
      return void json(200, { pets: [cat], next: null });
    case "/v1/pets/7":
      return void json(200, cat);
    case "/v1/pets/8":
      return void json(200, { id: 8, name: null });
    case "/v1/pets/9":
      return void response.writeHead(204).end();
    case "/v1/keys":
      return void json(201, { key: NEW_KEY, with: SECRET });
    case "/v1/orders":
      return void response.writeHead(200, { "content-type": "text/plain" }).end("made");
    case "/v1/tree":
      return void json(200, { name: "a", children: [{ name: "b", children: [{ name: "c" }] }] });
    default:
      return void json(200, []);
  }
}

async function closedPort(): Promise<string> {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  await new Promise((resolve) => other.close(resolve));
  return `http://127.0.0.1:${port}`;
}

async function appOf(more: Partial<OpenApiAppOptions> = {}) {
  const made = await openApiApp(shop, { name: "shop", version: "1.0.0", baseUrl: base, ...more });
  if (!made.ok) throw new Error(made.failure);
  return made.value;
}

async function connected(more: Partial<OpenApiAppOptions> = {}, era: "modern" | "legacy" = "modern") {
  const { app } = await appOf(more);
  const client = await connect(app, { era });
  onTestFinished(() => client.close());
  return client;
}

let calls = 0;

/** Returns the answer, and the request that the shop received. */
async function asked(tool: string, args: JsonObject, more: Partial<OpenApiAppOptions> = {}) {
  const id = `${++calls}`;
  const { call } = await connected({ headers: { "x-call": id }, ...more });
  const envelope = await call(tool, args);
  const request = seen.find(({ headers }) => headers["x-call"] === id);
  return { envelope, request, target: `${request?.method} ${request?.url}` };
}

describe("the list", () => {
  test("names, effects and hints come from ids and methods, and what cannot be called is told", async () => {
    const { tools, skipped, app, title } = await appOf();
    expect(title).toBe("Shop");
    expect(Object.fromEntries(tools.map(({ name, effects }) => [name, effects[0]]))).toEqual({
      list_pets: "none",
      create_pet: "create",
      get_pet_by_id: "none",
      replace_pet: "update",
      change_pet: "update",
      delete_pet: "delete",
      has_pet: "none",
      search_pets: "create",
      create_order: "create",
      create_order_2: "none",
      add_photo: "create",
      put_note: "update",
      status: "none",
      status_after_send: "create",
      create_key: "create",
    });
    expect(skipped).toEqual([
      { operation: "outside", why: expect.stringContaining("nothing outside the document is read") },
      { operation: "circle", why: "its references lead in a circle" },
      { operation: "missing", why: expect.stringContaining("which is not in the document") },
      { operation: "xml", why: expect.stringContaining("application/xml, which is not supported") },
      { operation: "undeclared", why: "its path has {what}, which is no parameter of it" },
      { operation: "climbing", why: "its path is no plain path" },
      { operation: "matrix", why: expect.stringContaining("in the style matrix") },
      { operation: "cookie", why: expect.stringContaining("in a cookie") },
    ]);
    expect(lint(app.surface).findings.filter(({ level }) => level === "error")).toEqual([]);
  });

  test("arguments are flat, described and strict, without credentials, cookies and what is only read", async () => {
    const { app } = await appOf({ auth: { query: "api_key", value: { env: "SHOP_KEY" } } });
    const schemaOf = (name: string) => app.surface.tools.find((tool) => tool.name === name)?.inputSchema;
    expect(schemaOf("list_pets")).toMatchObject({
      additionalProperties: false,
      properties: {
        "X-Trace": { type: "string", description: "Any text for the log" },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: 100,
          default: 20,
          description: "Most pets, 1–100, default 20",
        },
        kinds: {
          type: "array",
          items: { type: "string", enum: ["cat", "dog"] },
          description: "kinds, in the query",
        },
        near: { properties: { lat: { type: "number" } }, required: ["lat", "lon"] },
        filter_age: { anyOf: [{ type: "integer", exclusiveMinimum: 0 }, { type: "null" }] },
      },
    });
    expect(Object.keys((schemaOf("list_pets") as { properties: object }).properties)).toEqual([
      "X-Trace",
      "limit",
      "kinds",
      "tags",
      "near",
      "filter_age",
      "where",
    ]);
    expect(schemaOf("create_pet")).toMatchObject({ required: ["name", "kind"] });
    expect(schemaOf("create_pet")).not.toHaveProperty("properties.id");
    expect(schemaOf("replace_pet")).toMatchObject({
      properties: { id: { description: "Id of the pet" }, query_id: { description: "Another id" } },
      required: ["id", "name", "kind"],
    });
    expect(schemaOf("search_pets")).toMatchObject({
      properties: { body: { anyOf: [{}, {}] } },
      required: ["body"],
    });
  });

  test("a filter, a prefix and changes by hand", async () => {
    const { tools } = await appOf({
      only: { tags: ["pets"], methods: ["post", "DELETE"] },
      prefix: "shop_",
      operations: { searchPets: { effect: "none", description: "Search the pets of the shop." } },
    });
    expect(tools.map(({ name, effects }) => `${name} ${effects}`)).toEqual([
      "shop_create_pet create",
      "shop_delete_pet delete",
      "shop_search_pets none",
    ]);
    expect((await appOf({ only: { ids: ["getPetByID"] } })).tools).toHaveLength(1);
  });
});

describe("requests", () => {
  test("parameters of the query and headers, in every style", async () => {
    const { envelope, request, target } = await asked("list_pets", {
      limit: 5,
      kinds: ["cat", "dog"],
      tags: ["a b", "c&d"],
      near: { lat: 1.5, lon: 2 },
      filter_age: 3,
      where: { name: "T" },
      "X-Trace": "t1",
    });
    expect(target).toBe(
      "GET /v1/pets?limit=5&kinds=cat,dog&tags=a%20b&tags=c%26d&near%5Blat%5D=1.5&near%5Blon%5D=2&filter%5Bage%5D=3&where=%7B%22name%22%3A%22T%22%7D",
    );
    expect(request?.headers["x-trace"]).toBe("t1");
    expect(envelope).toMatchObject({
      success: true,
      data: { status: 200, body: { pets: [cat], next: null } },
    });
  });

  test("bodies of JSON, forms, files and text", async () => {
    const put = await asked("replace_pet", {
      id: "7",
      query_id: "8",
      name: "Tom",
      kind: "cat",
      more: { a: "b" },
    });
    expect(put.target).toBe("PUT /v1/pets/7?id=8");
    expect(JSON.parse(put.request?.body ?? "")).toEqual({ name: "Tom", kind: "cat", more: { a: "b" } });
    const patch = await asked("change_pet", { id: "7", nickname: null });
    expect(patch.request).toMatchObject({
      body: '{"nickname":null}',
      headers: { "content-type": "application/merge-patch+json" },
    });
    expect((await asked("change_pet", { id: "7" })).request?.body).toBe("");
    const order = await asked("create_order", { pet: "7", extras: ["food", "toy"] });
    expect(order.request?.body).toBe("pet=7&extras=food&extras=toy");
    expect(order.envelope).toMatchObject({ data: { body: "made" } });
    const photo = await asked("add_photo", { file: btoa("picture"), caption: "Tom" });
    expect(photo.request?.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
    expect(photo.request?.body).toContain("picture");
    expect((await asked("put_note", { body: "hello" })).request).toMatchObject({ body: "hello" });
    expect((await asked("search_pets", { body: { kind: "cat" } })).request?.body).toBe('{"kind":"cat"}');
    expect((await asked("has_pet", { id: "7" })).envelope).toEqual({
      success: true,
      data: { status: 200 },
      meta: expect.anything(),
    });
    expect((await asked("delete_pet", { id: "9" })).envelope).toMatchObject({ data: { status: 204 } });
  });

  test.each(["..", ".", "", "%2e%2e"])("an argument cannot change the path: %j", async (id) => {
    const { envelope, request } = await asked("get_pet_by_id", { id });
    if (id === "%2e%2e") expect(request?.url).toBe("/v1/pets/%252e%252e");
    else expect([request, envelope]).toMatchObject([undefined, { error: { code: "bad_input" } }]);
  });

  test("slashes and questions marks in an argument stay in it, and a header takes no new line", async () => {
    expect((await asked("get_pet_by_id", { id: "../orders?x=1#y" })).request?.url).toBe(
      "/v1/pets/..%2Forders%3Fx%3D1%23y",
    );
    const broken = await asked("list_pets", { "X-Trace": "a\r\nauthorization: b" });
    expect([broken.request, broken.envelope]).toMatchObject([undefined, { error: { code: "bad_input" } }]);
  });

  test("bad arguments are answered before anything is sent", async () => {
    for (const args of [{ limit: 0 }, { kinds: ["cow"] }, { limt: 1 }, { api_key: 1 }]) {
      const { envelope, request } = await asked("list_pets", args);
      expect([request, envelope]).toMatchObject([undefined, { error: { code: "bad_input" } }]);
    }
  });
});

describe("answers", () => {
  test("an answer that is not as documented is shown as such", async () => {
    expect((await asked("get_pet_by_id", { id: "8" })).envelope).toMatchObject({
      success: true,
      data: { status: 200, other_body: { id: 8, name: null } },
    });
    expect((await asked("create_order_2", {})).envelope).toMatchObject({
      data: { body: { name: "a", children: [{ name: "b", children: [{ name: "c" }] }] } },
    });
  });

  test.each([
    [400, "bad_input"],
    [401, "not_signed_in"],
    [403, "denied"],
    [404, "not_found"],
    [409, "conflict"],
    [418, "refused"],
    [422, "bad_input"],
    [429, "rate_limited"],
    [500, "api_error"],
    [503, "api_error"],
    [302, "unexpected_answer"],
    [1, "unreachable"],
    [2, "too_slow"],
    [3, "unexpected_answer"],
    [4, "unexpected_answer"],
  ])("%i is %s", async (code, expected) => {
    const more = { timeoutMs: code === 2 ? 50 : 20_000, maxAnswerBytes: 200_000 };
    const { envelope, request } = await asked("status", { code }, more);
    expect(envelope).toMatchObject({ success: false, error: { code: expected } });
    // A request that takes too long may not have arrived.
    if (code !== 2) expect(request?.url).toBe(`/v1/status/${code}`);
    if (code === 429)
      expect(envelope).toMatchObject({
        error: { retryable: true, retry_after_ms: 7_000, details: { status: 429 } },
      });
  });

  test.each([1, 2, 500])("after %i a request that creates is not to be sent again unseen", async (code) => {
    const { envelope } = await asked("status_after_send", { code }, { timeoutMs: code === 2 ? 50 : 20_000 });
    expect(envelope).toMatchObject({
      error: {
        code: "unknown_outcome",
        retryable: false,
        suggested_fix: expect.stringContaining("It may have taken effect"),
      },
    });
  });

  test("a server that is not there", async () => {
    const { envelope } = await asked("status_after_send", { code: 200 }, { baseUrl: await closedPort() });
    expect(envelope).toMatchObject({ error: { code: "unreachable", retryable: true } });
  });
});

describe("credentials", () => {
  test.each<[OpenApiAppOptions["auth"], (request: Seen | undefined) => unknown, string]>([
    [{ bearer: () => SECRET }, (request) => request?.headers.authorization, `Bearer ${SECRET}`],
    [{ header: "X-Key", value: async () => SECRET }, (request) => request?.headers["x-key"], SECRET],
    [
      { query: "api_key", value: () => SECRET },
      (request) => request?.url,
      `/v1/status/403?api_key=${SECRET}`,
    ],
    [
      { basic: { user: "ana", password: () => SECRET } },
      (request) => request?.headers.authorization,
      `Basic ${btoa(`ana:${SECRET}`)}`,
    ],
  ])("%j is sent, and repeated in no answer", async (auth, sent, expected) => {
    const { envelope, request } = await asked("status", { code: 403 }, auth && { auth });
    expect(sent(request)).toBe(expected);
    expect(JSON.stringify(envelope)).toContain("[secret] is wrong");
    expect(JSON.stringify(envelope)).not.toContain(SECRET);
  });

  test("a secret that the API was asked for is answered; the credential is not", async () => {
    const { envelope } = await asked("create_key", {}, { auth: { bearer: () => SECRET } });
    expect(envelope).toMatchObject({ data: { body: { key: NEW_KEY, with: "[secret]" } } });
  });

  test("one in the environment is read for every call; without it nothing is sent", async () => {
    const auth = { bearer: { env: "TOOLPACT_TEST_SHOP" } };
    const missing = await asked("list_pets", {}, { auth });
    expect([missing.request, missing.envelope]).toMatchObject([
      undefined,
      {
        error: {
          code: "not_signed_in",
          fix_by: "operator",
          message: "The environment variable TOOLPACT_TEST_SHOP is not set.",
        },
      },
    ]);
    process.env.TOOLPACT_TEST_SHOP = SECRET;
    onTestFinished(() => void delete process.env.TOOLPACT_TEST_SHOP);
    expect((await asked("list_pets", {}, { auth })).request?.headers.authorization).toBe(`Bearer ${SECRET}`);
    const throwing = { bearer: () => Promise.reject(new Error(SECRET)) };
    const { envelope } = await asked("list_pets", {}, { auth: throwing });
    expect(envelope).toMatchObject({
      error: { code: "not_signed_in", message: "The credential could not be looked up." },
    });
  });
});

test.each(["modern", "legacy"] as const)("the official client of the %s era lists and calls", async (era) => {
  const { client, call } = await connected({}, era);
  expect((await client.listTools()).tools).toHaveLength(15);
  expect(await call("get_pet_by_id", { id: "7" })).toMatchObject({ success: true, data: { body: cat } });
  expect(await call("create_pet", { name: "Tom", kind: "cat" })).toMatchObject({ success: true });
  expect(await call("create_pet", { name: "Tom", kind: "cat" })).toMatchObject({
    error: { code: "duplicate" },
  });
});

test("guards of a product stand before the tools and know where a request would go", async () => {
  const errors = defineErrors(
    {
      ...openApiErrors.rows,
      frozen: { category: "policy", retryable: false, meaning: "Nothing is deleted" },
    },
    openApiErrors.roles,
  );
  const made = await openApiTools(shop, { baseUrl: base });
  if (!made.ok) throw new Error(made.failure);
  const product = defineProduct<{ facts: OpenApiFacts; notes: SuccessNotes }>()({
    errors,
    categories: ["all"],
    profiles: ["all"],
    services: {},
  });
  const frozen = product.guard({
    name: "frozen",
    codes: () => ["frozen"],
    run: async ({ tool }, next) =>
      tool.facts.method === "DELETE"
        ? failed({ code: "frozen", message: `${tool.facts.path} stays.` })
        : next(),
  });
  const stack = product.guardStack("all").use(frozen).answering(successEnvelope(errors)).bind({});
  const app = oneStackApp({
    name: "shop",
    version: "1.0.0",
    instructions: "",
    product,
    tools: made.value.tools,
    stack,
    services: {},
    onBug: () => {},
  });
  await using client = await connect(app);
  seen.length = 0;
  expect(await client.call("delete_pet", { id: "7" })).toMatchObject({
    error: { code: "frozen", message: "/pets/{id} stays." },
  });
  expect(seen).toEqual([]);
  expect(await client.call("get_pet_by_id", { id: "7" })).toMatchObject({ success: true });
});

test("hostile arguments end in the envelope", async () => {
  const { app } = await appOf({ only: { ids: ["listPets", "addPhoto"] } });
  expect((await fuzz(app, { errors: openApiErrors })).findings).toEqual([]);
});

describe("documents that cannot be used", () => {
  const empty = { openapi: "3.0.3", info: {}, paths: {} };
  const laughs = `openapi: 3.0.3\na: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n`;
  const holdsItself: { paths: object; openapi: string; self?: unknown } = { openapi: "3.1.0", paths: {} };
  holdsItself.self = holdsItself;
  test.each<[string, string | object, Partial<OpenApiAppOptions>]>([
    ["neither JSON nor YAML", "{", {}],
    ["neither JSON nor YAML", "a: [", {}],
    ["neither JSON nor YAML", laughs, {}],
    ["is not an object", "just text", {}],
    ["Swagger 2.0", { swagger: "2.0", paths: {} }, {}],
    ["3.0 and 3.1 can be read", { openapi: "4.0.0", paths: {} }, {}],
    ["has no paths", { openapi: "3.0.3" }, {}],
    ["nested deeper than 100 levels", `${"[".repeat(200)}${"]".repeat(200)}`, {}],
    ["nested deeper than 100 levels", holdsItself, {}],
    ["No operation of the document can be a tool", empty, {}],
    ["no tag `pts`. Did you mean `pets`?", shop, { only: { tags: ["pts"] } }],
    ["no operation `listPet`. Did you mean `listPets`?", shop, { only: { ids: ["listPet"] } }],
    ["no method `FETCH`", shop, { only: { methods: ["fetch"] } }],
    ["no operation `nope`", shop, { operations: { nope: { effect: "none" } } }],
    ["has to be a whole address", shop, { baseUrl: "/v1" }],
    ["has to be a whole address", shop, { baseUrl: "file:///etc/passwd" }],
    ["has a name or a value that no request", shop, { headers: { "a b": "c" } }],
    ["has a name or a value that no request", shop, { auth: { header: "a\nb", value: () => "c" } }],
    ["The prefix `Shop.` has to be", shop, { prefix: "Shop." }],
    ["The name `Pets?` has to be", shop, { operations: { listPets: { name: "Pets!" } } }],
    ["Two operations have the name `list_pets`", shop, { operations: { createPet: { name: "list_pets" } } }],
    ["holds a password", shop, { baseUrl: "https://a:b@shop.example" }],
  ])("%s", async (expected, document, more) => {
    // A cyclic document, as a caller from JavaScript might pass it.
    const made = await openApiTools(document as JsonObject, { baseUrl: base, ...more });
    expect(made).toMatchObject({ ok: false, failure: expect.stringContaining(expected) });
  });

  test("schemas that refer to each other without end, or multiply, become free content", async () => {
    const fan = Object.fromEntries(
      Array.from({ length: 30 }, (_, level) => [
        `S${level}`,
        {
          type: "object",
          properties: Object.fromEntries(
            Array.from({ length: 12 }, (_, index) => [
              `p${index}`,
              { $ref: `#/components/schemas/S${level + 1}` },
            ]),
          ),
        },
      ]),
    );
    const schemas = {
      ...fan,
      S30: { allOf: [{ $ref: "#/components/schemas/S30" }, { $ref: "#/components/schemas/S30" }] },
      __proto__x: {},
    };
    const content = { "application/json": { schema: { $ref: "#/components/schemas/S0" } } };
    const document = {
      openapi: "3.0.3",
      paths: {
        "/a": {
          post: {
            operationId: "__proto__",
            description: `Hidden\u202e text ${"word ".repeat(1_000)}`,
            requestBody: { required: true, content },
            responses: { 200: { description: "", content } },
          },
          get: { operationId: "ÄÖ", responses: {} },
          put: { operationId: "9 lives", responses: {} },
        },
      },
      components: { schemas },
    };
    const made = await openApiApp(document, { name: "a", version: "1", baseUrl: base });
    if (!made.ok) throw new Error(made.failure);
    const { tools, app } = made.value;
    expect(tools.map(({ name }) => name)).toEqual(["proto", "get_a", "op_9_lives"]);
    expect(tools[0]?.description).toMatch(/^Hidden\ufffd text word/);
    expect(tools[0]?.description.length).toBeLessThan(620);
    for (const tool of app.surface.tools) expect(JSON.stringify(tool).length).toBeLessThan(12_000);
  });
});

describe("toolpact openapi", () => {
  const path = new URL("./openapi-shop.yaml", import.meta.url).pathname;
  const run = (...words: string[]) => runInMemory(program, ["openapi", path, ...words], { server: [] });

  test("lists names, effects and costs, and what is left out", async () => {
    const { out, code } = await run("--list", "--reads", "searchPets");
    expect(code).toBe(0);
    expect(out).toMatch(/^delete_pet +delete +\d+ +DELETE \/pets\/\{id\}$/m);
    expect(out).toMatch(/^search_pets +none +\d+ +POST \/pets\/search$/m);
    expect(out).toContain("left out: climbing: its path is no plain path");
    expect(out).toMatch(/15 tools, about \d+ tokens; 8 operations left out/);
    const asJson = await run("--methods", "delete", "--output", "json");
    expect(asJson.json()).toMatchObject({ tools: [{ tool: "delete_pet", effect: "delete" }] });
  });

  test.each([
    [["--tags", "pts"], "Did you mean `pets`?"],
    [["--list", "--serve", "http://localhost"], "not both"],
    [["--serve", "nowhere"], "has to be a whole address"],
    [["--header-env", "X-Key"], "X-Api-Key=SHOP_KEY"],
    [["--header-env", "X-Key=A", "--bearer-env", "B"], "not both"],
  ])("%j says why it cannot", async (words, message) => {
    const { err, code } = await run(...words);
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  });

  test("serves on stdio", async () => {
    const main = new URL("../../toolpact/src/main.ts", import.meta.url).pathname;
    const client = new Client({ name: "tester", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [
          "--conditions=toolpact-source",
          main,
          "openapi",
          path,
          "--serve",
          base,
          "--bearer-env",
          "SHOP",
        ],
        env: { SHOP: SECRET },
        stderr: "ignore",
      }),
    );
    onTestFinished(() => client.close());
    seen.length = 0;
    const { structuredContent } = await client.callTool({ name: "get_pet_by_id", arguments: { id: "7" } });
    expect(structuredContent).toMatchObject({ success: true, data: { body: cat } });
    expect(seen[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
  });
});
