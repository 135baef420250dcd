/** What is used of clack. Named here, since a bundle holds all of a package that is imported whole and lazily. */
export { cancel, confirm, intro, isCancel, log, note, outro, password, select, text } from "@clack/prompts";
