/** Text from outside that goes into the log and its exports, where one value must stay one value on one line. */

/** Whether it holds control characters, halves of a character, or what some readers take for the end of a line. */
export function breaksLines(text: string): boolean {
  return /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text);
}

/** With a mark in the place of each of them. */
export function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd');
}
