import { formOf } from "./form-of.ts";
import { configSchema } from "./schema.ts";

export const form = formOf(configSchema);
