import { serveFetch } from "../../src/mcp/fetch.ts";
import { notesApp } from "../notes-product.ts";

export const TOKEN = "a long secret for the runtimes";

/** What every runtime serves: the notes, behind a token. */
export const fetch = serveFetch(notesApp().app, { token: TOKEN });
