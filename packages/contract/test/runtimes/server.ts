import { serveFetch } from "../../src/mcp/fetch.ts";
import { notesApp } from "../notes-product.ts";

export const TOKEN = "a long secret for the runtimes";

export const fetch = serveFetch(notesApp().app, { token: TOKEN });
