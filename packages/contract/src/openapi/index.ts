export { type OpenApiAppOptions, openApiApp } from "./app.ts";
export type { Credential, Secret } from "./credential.ts";
export { type OpenApiCode, openApiErrors } from "./errors.ts";
export type { OpenApiFacts, OperationFilter } from "./operations.ts";
export { type OpenApiOptions, type OpenApiTools, type OperationChanges, openApiTools } from "./tools.ts";
