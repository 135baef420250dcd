export { type OpenApiAppOptions, openApiApp } from "./app.ts";
export { openApiErrors } from "./errors.ts";
export type { OpenApiFacts } from "./operations.ts";
export { type OpenApiOptions, type OpenApiTools, openApiTools } from "./tools.ts";
