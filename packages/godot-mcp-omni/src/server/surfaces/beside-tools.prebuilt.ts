import { listedBeside } from "../surface.ts";

export const { resources, resourceTemplates, prompts, skills } = listedBeside();
