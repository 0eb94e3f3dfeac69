import { describe, expect, it } from 'vitest';
import { csvLine } from '#lambdas/platform/csv.ts';
import { readCsv, unescapeFormulas } from '#test/support/csv-reader.ts';
import { fc } from '#test/support/fast-check.ts';

const specialCharacters = fc.constantFrom(...'",;=+-@\'\t\r\n＝ aß€😀\\');
const text = fc.oneof(fc.string({ unit: specialCharacters }), fc.string({ unit: 'grapheme' }));
const value = fc.oneof(text, text, fc.boolean(), fc.integer({ min: 0 }), fc.constant(null));
const lines = fc.array(fc.array(value, { minLength: 2, maxLength: 5 }), { maxLength: 5 });

describe('csvLine', () => {
  it('round-trips any text through a CSV reader', () => {
    fc.assert(
      fc.property(lines, (records) => {
        const read = readCsv(records.map(csvLine).join(''));

        const values = read.map((record) => record.map((field) => field && unescapeFormulas(field)));
        expect(values).toEqual(
          records.map((record) => record.map((each) => (each === null ? null : String(each)))),
        );
      }),
    );
  });

  it('escapes every formula, whichever separator a spreadsheet uses', () => {
    fc.assert(
      fc.property(text, (each) => {
        const [[field] = []] = readCsv(csvLine([each, 1]));

        expect(field?.split(/[;\t\r\n]/).filter((cell) => /^[=+\-@＝＋－＠]/.test(cell))).toEqual([]);
      }),
    );
  });

  it.each([
    [['a', 1, true, null, ''], 'a,1,true,,""\r\n'],
    [['say "hi"', 'a,b', 'two\nlines'], '"say ""hi""","a,b","two\nlines"\r\n'],
    [['=1+1', '+49 30', '-', '@a', "'a", 'a=b', 'a;=b'], "'=1+1,'+49 30,'-,'@a,''a,a=b,a;'=b\r\n"],
  ])('renders %j as %j', (values, line) => {
    expect(csvLine(values)).toBe(line);
  });
});
