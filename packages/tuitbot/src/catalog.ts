import { type Catalog, catalog } from "@toolpact/contract";
import { allTools } from "./tools/index.ts";

/** Every tool of every profile. */
export const fullCatalog: Catalog = catalog(allTools);
