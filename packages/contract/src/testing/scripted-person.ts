import type { Json, JsonObject } from "../json.ts";

/** The scripted reaction to a question: agree, decline, close it, or fill the form in. */
export type PersonAnswer =
  | "yes"
  | "no"
  | "cancel"
  /** Into the first field that takes text. */
  | { readonly text: string }
  | { readonly form: JsonObject };

/** The questions that were shown. */
export interface Question {
  readonly message: string;
  /** The fields of the form; none where a page was to be opened. */
  readonly fields: Readonly<Record<string, JsonObject>>;
}

/** A person who answers the questions of a server by a script, and remembers what they were asked. */
export interface ScriptedPerson {
  readonly asked: Question[];
  /** The result of `elicitation/create`, for clients that `connect` did not make. */
  readonly reply: (params: ElicitationParams) => ElicitationReply;
}

/** The part of `elicitation/create` that is looked at, whichever SDK has read it. */
export interface ElicitationParams {
  readonly message: string;
  readonly requestedSchema?: { readonly properties?: object };
}

export type ElicitationReply =
  | { readonly action: "accept"; readonly content: Record<string, string | number | boolean | string[]> }
  | { readonly action: "decline" | "cancel" };

/**
 * A person with an answer for each question in turn, or one who decides by the question. A question that the script has
 * no answer for throws, so that it fails the test.
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
      // The members of `properties` are schemas.
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
  // An MCP form is flat; a script that returns more tests how the server handles it.
  return { action: "accept", content: content as Record<string, string | number | boolean | string[]> };
}

/** A check box is checked, and a choice that has a yes gets it. */
function agreed([name, { type, oneOf }]: [string, JsonObject]): readonly (readonly [string, Json])[] {
  if (type === "boolean") return [[name, true]];
  const options = Array.isArray(oneOf) ? (oneOf as readonly JsonObject[]) : [];
  return options.some((option) => option.const === "yes") ? [[name, "yes"]] : [];
}
