import type { Json, JsonObject } from "../json.ts";

/** Agree, decline, close it, or fill in the form. */
export type PersonAnswer =
  | "yes"
  | "no"
  | "cancel"
  /** For the first text field. */
  | { readonly text: string }
  | { readonly form: JsonObject };

export interface Question {
  readonly message: string;
  /** Empty for a page to open. */
  readonly fields: Readonly<Record<string, JsonObject>>;
}

/** Answers questions by script, and records them. */
export interface ScriptedPerson {
  readonly asked: Question[];
  /** For clients not created by `connect`. */
  readonly reply: (params: ElicitationParams) => ElicitationReply;
}

/** As in any SDK. */
export interface ElicitationParams {
  readonly message: string;
  readonly requestedSchema?: { readonly properties?: object };
}

export type ElicitationReply =
  | { readonly action: "accept"; readonly content: Record<string, string | number | boolean | string[]> }
  | { readonly action: "decline" | "cancel" };

/**
 * A person with an answer for each question in turn, or a function that decides by the question. A question without
 * a scripted answer throws and fails the test.
 *
 * ```ts
 * const person = scriptedPerson(["no", "yes", { text: "blue" }]);
 * await using server = await connect(app, { person });
 * await server.call("delete_note", { id: "1" });
 * person.asked[0]?.message;
 * ```
 */
export function scriptedPerson(
  script: readonly PersonAnswer[] | ((question: Question) => PersonAnswer),
): ScriptedPerson {
  const asked: Question[] = [];
  return {
    asked,
    reply({ message, requestedSchema }) {
      const fields = (requestedSchema?.properties ?? {}) as Readonly<Record<string, JsonObject>>;
      const question = { message, fields };
      const answer = typeof script === "function" ? script(question) : script[asked.length];
      asked.push(question);
      if (answer === undefined)
        throw new Error(`The script has no answer to question ${asked.length}: ${message}`);
      return replyWith(answer, question);
    },
  };
}

function replyWith(answer: PersonAnswer, { message, fields }: Question): ElicitationReply {
  if (answer === "no") return { action: "decline" };
  if (answer === "cancel") return { action: "cancel" };
  if (answer === "yes") return accept(Object.fromEntries(Object.entries(fields).flatMap(agreed)));
  if ("form" in answer) return accept(answer.form);
  const name = Object.keys(fields).find(
    (name) => fields[name]?.type === "string" && fields[name].oneOf === undefined,
  );
  if (name === undefined) throw new Error(`The form takes no text: ${message}`);
  return accept({ [name]: answer.text });
}

function accept(content: Readonly<Record<string, Json | undefined>>): ElicitationReply {
  // An MCP form is flat; a script that returns more tests the server.
  return { action: "accept", content: content as Record<string, string | number | boolean | string[]> };
}

/** Checks boxes, and selects yes where there is one. */
function agreed([name, { type, oneOf }]: [string, JsonObject]): readonly (readonly [string, Json])[] {
  if (type === "boolean") return [[name, true]];
  const options = Array.isArray(oneOf) ? (oneOf as readonly JsonObject[]) : [];
  return options.some((option) => option.const === "yes") ? [[name, "yes"]] : [];
}
