import { serveFetch } from "../../src/mcp/fetch.ts";
import { notesApp } from "../notes-product.ts";

export const TOKEN = "a long secret for the runtimes";

/** The server of every runtime: the notes, behind a token. */
export const fetch = serveFetch(notesApp().app, { token: TOKEN });
