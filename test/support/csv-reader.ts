/** Strict parser for comma-separated values (RFC 4180). */

/** Returns records of fields. `null` is an empty field without quotes. Throws when the text is malformed. */
export function readCsv(text: string): (string | null)[][] {
  const records: (string | null)[][] = [];
  let record: (string | null)[] = [];
  let rest = text;
  while (rest !== '') {
    const [field = '', quoted, plain = '', end = ''] =
      /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest) ?? [];
    if (end === '') throw new Error(`Malformed field: ${rest.slice(0, 100)}`);
    record.push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'));
    rest = rest.slice(field.length);
    if (end === ',') continue;
    records.push(record);
    record = [];
  }
  if (record.length > 0) throw new Error('The last record has no line break');
  return records;
}

/** Removes the apostrophes that prevent formula injection in spreadsheets. */
export function unescapeFormulas(field: string): string {
  return field.replace(/(?<=^|[;\t\r\n])'(?=['=+\-@＝＋－＠\t\r\n])/g, '');
}
