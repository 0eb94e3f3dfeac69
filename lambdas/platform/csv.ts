/** Comma-separated values as specified by RFC 4180, which spreadsheets cannot take for formulas. */

export type CsvValue = string | number | boolean | null;

/** Renders one record with its CR LF. `null` becomes an empty field, an empty string a pair of quotes. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvField).join(',')}\r\n`;
}

function csvField(value: CsvValue): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = escapeFormulas(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Prefixes text that a spreadsheet would run as a formula with an apostrophe, since callers choose some of the text.
 * Text that begins with an apostrophe gets a second one, so that the original value can be restored. The same applies
 * after a tab, a line break or a semicolon, which can begin a new cell.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
function escapeFormulas(text: string): string {
  return text.replace(/(?<=^|[;\t\r\n])(?=['=+\-@＝＋－＠\t\r\n])/g, "'");
}
