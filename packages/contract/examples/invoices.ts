import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { DatabaseSync } from "node:sqlite";
import { defineErrors, defineServer, type JsonObject, ok, type Prompt } from "@toolpact/contract";
import { formatItem, openSqlite, openSqlStorage, protect } from "@toolpact/contract/guards";
import * as z from "zod";

const folder = process.env.INVOICES_DIR ?? "invoices-data";
mkdirSync(folder, { recursive: true });

// The database of the business.

const db = new DatabaseSync(join(folder, "books.db"));
db.exec(`
  create table if not exists invoices (
    id integer primary key, payee text not null, cents integer not null, due text not null, paid_at text
  ) strict;
`);

const invoiceRow = z.object({
  id: z.int(),
  payee: z.string(),
  cents: z.int(),
  due: z.string(),
  paid_at: z.string().nullable(),
});
type Invoice = z.output<typeof invoiceRow>;

const books = {
  add: (payee: string, cents: number, due: string): Invoice =>
    invoiceRow.parse(
      db
        .prepare("insert into invoices (payee, cents, due) values (?, ?, ?) returning *")
        .get(payee, cents, due),
    ),
  find: (id: unknown): Invoice | undefined =>
    invoiceRow.optional().parse(db.prepare("select * from invoices where id = ?").get(Number(id))),
  unpaid: (afterId: number, count: number): readonly Invoice[] =>
    db
      .prepare("select * from invoices where paid_at is null and id > ? order by id limit ?")
      .all(afterId, count)
      .map((row) => invoiceRow.parse(row)),
  markPaid: (id: number, at: Date): void => {
    db.prepare("update invoices set paid_at = ? where id = ?").run(at.toISOString(), id);
  },
};

// The guards: you approve each payment, no call is carried out twice, and a day costs at most 500 dollars.

const errors = defineErrors({
  already_paid: { category: "invoices", retryable: false, meaning: "The invoice was paid before" },
});

async function openGuards() {
  const keyFile = join(folder, "approval.key");
  if (!existsSync(keyFile)) writeFileSync(keyFile, randomBytes(32), { mode: 0o600 });
  const key = readFileSync(keyFile);
  return openSqlStorage(await openSqlite(join(folder, "guards.db")), { scope: "invoices", key });
}

const server = defineServer({
  name: "invoices",
  version: "1.0.0",
  instructions: "Lists and pays invoices. The owner approves each payment with `node invoices.ts approve`.",
  errors,
  services: { books: () => ok(books) },
  protect: protect({
    errors,
    codes: { retry: "busy", refused: "denied" },
    approval: {
      needs: ({ tool }) => tool.name === "pay_invoice",
      // Shown to the approver. If the row changes before the payment, the approval no longer counts.
      binds: ({ input }): JsonObject => ({ invoice: books.find(input.id) ?? null }),
    },
    budget: {
      price: ({ tool, input }) =>
        tool.name === "pay_invoice" ? (books.find(input.id)?.cents ?? 0) / 100 : 0,
      usdPerDay: 500,
    },
    limits: () => [{ max: 30, periodMs: 60_000 }],
  }),
  guardStorage: openGuards,
});

// The tools.

const listUnpaid = server.tool({
  name: "list_unpaid",
  description:
    "List unpaid invoices, oldest first. Pass `next_token` of the last answer as `after` for more.",
  effect: "none",
  openWorld: false,
  needs: ["books"],
  input: z.strictObject({
    after: z.coerce.number().int().min(0).default(0).describe("Token of the last answer"),
    count: z.int().min(1).max(50).default(10).describe("Page size"),
  }),
  output: z.object({ invoices: z.array(invoiceRow) }),
  handler: ({ after, count }, { books }) => {
    const found = books.unpaid(after, count + 1);
    const invoices = found.slice(0, count);
    const hasMore = found.length > count;
    const last = hasMore ? { next_token: String(invoices.at(-1)?.id) } : {};
    return ok(
      { invoices: [...invoices] },
      { pagination: { result_count: invoices.length, has_more: hasMore, ...last } },
    );
  },
});

const addInvoices = server.tool({
  name: "add_invoices",
  description: "Add invoices that came in. Reports progress, because a batch can be long.",
  effect: "create",
  openWorld: false,
  needs: ["books"],
  input: z.strictObject({
    invoices: z
      .array(
        z.strictObject({
          payee: z.string().min(1).describe("Who is paid"),
          cents: z.int().positive().describe("The amount"),
          due: z.iso.date().describe("Last day to pay"),
        }),
      )
      .min(1)
      .max(500)
      .describe("The invoices"),
  }),
  output: z.object({ ids: z.array(z.int()) }),
  handler: ({ invoices }, { books, progress, signal }) => {
    const ids: number[] = [];
    for (const { payee, cents, due } of invoices) {
      // A cancelled call stops here. Its outcome is unknown, so the same call is not repeated by itself.
      signal.throwIfAborted();
      ids.push(books.add(payee, cents, due).id);
      progress({ done: ids.length, total: invoices.length });
    }
    return ok({ ids });
  },
});

const payInvoice = server.tool({
  name: "pay_invoice",
  description: "Pay an invoice. Waits for the owner's approval: call it again with the same id after that.",
  effect: "send",
  needs: ["books"],
  errors: ["not_found", "already_paid"],
  input: z.strictObject({ id: z.int().describe("Id of the invoice") }),
  output: invoiceRow,
  handler: ({ id }, { books }) => {
    const invoice = books.find(id);
    if (invoice === undefined) return errors.fail("not_found", `There is no invoice ${id}.`);
    if (invoice.paid_at !== null)
      return errors.fail("already_paid", `Invoice ${id} was paid on ${invoice.paid_at}.`);
    // Call the bank here.
    books.markPaid(id, new Date());
    return ok(books.find(id) ?? invoice);
  },
});

// A resource that clients can attach, and a prompt that users can start from.

const invoicePage = server.resource({
  uri: "invoice://{id}",
  name: "invoice",
  title: "Invoice",
  description: "One invoice as text.",
  mimeType: "text/plain",
  needs: ["books"],
  read: async ({ params }, { books }) => {
    const invoice = books.find(params.id);
    return invoice === undefined
      ? errors.fail("not_found", `There is no invoice ${params.id}.`)
      : ok({ text: `${invoice.payee}: $${(invoice.cents / 100).toFixed(2)}, due ${invoice.due}` });
  },
});

const payDue: Prompt = {
  name: "pay_due",
  title: "Pay what is due",
  description: "Pay all invoices due until a date.",
  arguments: [{ name: "date", description: "Last due date, such as 2026-12-31", required: true }],
  messages: ({ date }) => [
    {
      role: "user",
      content: { type: "text", text: `List the unpaid invoices and pay each that is due until ${date}.` },
    },
  ],
};

// `node invoices.ts` serves an agent. `node invoices.ts approve` is for the owner.

async function approve(): Promise<void> {
  const storage = await openGuards();
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  for (const item of await storage.items("waiting", Date.now())) {
    console.log(formatItem(item, Date.now()));
    const approve = (await terminal.question("Approve? (y/N) ")).toLowerCase() === "y";
    const { id, digest } = item;
    await storage.decide({ id, digest, approve, by: "owner", note: "", now: Date.now() });
  }
  console.log("No more payments are waiting.");
  terminal.close();
  await storage.close();
}

if (process.argv[2] === "approve") await approve();
else {
  // Loaded only here, because it reserves stdout for the protocol.
  const { serveStdio } = await import("@toolpact/contract/stdio");
  const tools = [listUnpaid, addInvoices, payInvoice];
  serveStdio(server.app({ tools, resources: [invoicePage], prompts: [payDue] }));
}
