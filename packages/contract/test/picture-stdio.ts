import { serveStdio } from "../src/mcp/stdio.ts";
import { pictureApp } from "./picture-app.ts";

serveStdio(pictureApp());
