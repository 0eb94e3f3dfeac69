/** Text as one word of a POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Without quotes where they would change nothing. */
export function shellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : shellQuoted(text);
}
