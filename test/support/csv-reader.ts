/** Reads comma-separated values as RFC 4180 has them, and nothing that it does not have. */

/** Records of fields; `null` is a field with nothing in it, not even quotes. Throws where the text is not as it should be. */
export function readCsv(text: string): (string | null)[][] {
  const records: (string | null)[][] = [];
  let record: (string | null)[] = [];
  let rest = text;
  while (rest !== '') {
    const [field = '', quoted, plain = '', end = ''] =
      /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest) ?? [];
    if (end === '') throw new Error(`This is no field: ${rest.slice(0, 100)}`);
    record.push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'));
    rest = rest.slice(field.length);
    if (end === ',') continue;
    records.push(record);
    record = [];
  }
  if (record.length > 0) throw new Error('The last record has no end');
  return records;
}

/** What a value was before an apostrophe kept a spreadsheet from running it. */
export function withoutApostrophes(field: string): string {
  return field.replace(/(?<=^|[;\t\r\n])'(?=['=+\-@＝＋－＠\t\r\n])/g, '');
}
