import * as z from "zod";

/** The titles of the two answers. */
export interface YesOrNo {
  readonly title: string;
  readonly no: string;
  readonly yes: string;
}

/**
 * A question in a form that a person answers with yes or no. It is a choice and not a check box: some clients preselect
 * yes for a boolean, so that Enter alone would approve. No comes first and there is no default.
 */
export function yesOrNo({ title, no, yes }: YesOrNo) {
  return z.string().meta({
    type: "string",
    title,
    oneOf: [
      { const: "no", title: no },
      { const: "yes", title: yes },
    ],
  });
}
