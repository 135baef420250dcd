/** The used parts of clack, listed because a bundle includes all of a package that is imported lazily as a whole. */
export { cancel, confirm, intro, isCancel, log, note, outro, password, select, text } from "@clack/prompts";
