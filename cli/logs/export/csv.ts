/** Comma-separated values by RFC 4180. */

export type CsvValue = string | number | boolean | null;

/** With the end of the line, CR LF. `null` is empty; text that is empty is a pair of quotes. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvField).join(',')}\r\n`;
}

function csvField(value: CsvValue): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = withoutFormulas(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A spreadsheet runs text that begins like a formula, and callers choose some of the text here. An apostrophe in front
 * makes it plain text. So it does for what begins with an apostrophe already, or the value could not be told again.
 * A semicolon, where it is what separates values, or a tab or line end begins another cell.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
function withoutFormulas(text: string): string {
  return text.replace(/(?<=^|[;\t\r\n])(?=['=+\-@＝＋－＠\t\r\n])/g, "'");
}
