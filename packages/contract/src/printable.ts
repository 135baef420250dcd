/**
 * A message without what changes how a terminal or a page shows the text around it: control characters but tabs and
 * ends of lines, marks that turn the direction of writing, halves of a character. Messages quote what callers sent.
 */
export function printable(message: string): string {
  return message.toWellFormed().replaceAll("\r\n", "\n").replaceAll(UNPRINTABLE, "\ufffd");
}

/** Every control character but the tab and the end of a line, and the marks of direction. */
const UNPRINTABLE = /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/gu;
