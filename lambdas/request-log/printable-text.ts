/** Control characters, lone surrogates, and the separators of lines and paragraphs. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** False for text that could break a line of the log or of an export. */
export function isPrintable(text: string): boolean {
  return text.search(unprintable) === -1;
}

export function toPrintable(text: string): string {
  return text.replace(unprintable, '\ufffd');
}
