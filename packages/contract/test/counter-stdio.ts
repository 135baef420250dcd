import { serveStdio } from "../src/mcp/stdio.ts";
import { counterApp } from "./counter-product.ts";

serveStdio(counterApp());
