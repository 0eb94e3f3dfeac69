import { describe, expect, it } from 'vitest';
import { csvLine, exportFormats } from '#cli/logs/export/formats.ts';
import { readCsv, unescapeFormulas } from '#test/support/csv-reader.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';

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

describe('exportFormats', () => {
  const entry = logEntry({
    ...{ service_tier: 'flex', speed: 'fast', inference_geo: 'us', region: 'eu', pricing: 'assumed' },
    pricing_gaps: ['code_execution'],
    billed_parts: [
      { model: 'gpt-4o', input_tokens: 1, output_tokens: 2, web_searches: 3 },
      { model: 'say "hi"', input_tokens: 4, output_tokens: 5 },
    ],
  });

  it('writes lists as JSON text in csv, and all other fields as their values', () => {
    const { header, line } = exportFormats.csv;
    const [names = [], values = []] = readCsv(header + line(entry));
    const record = Object.fromEntries(names.map((name, index) => [name, values[index]]));

    expect(names.toSorted()).toEqual(Object.keys(entry).sort());
    expect(record).toMatchObject({
      ...{ service_tier: 'flex', speed: 'fast', inference_geo: 'us', region: 'eu', pricing: 'assumed' },
      pricing_gaps: '["code_execution"]',
      billed_parts:
        '[{"model":"gpt-4o","input_tokens":1,"output_tokens":2,"web_searches":3},' +
        '{"model":"say \\"hi\\"","input_tokens":4,"output_tokens":5}]',
      context_tokens: null,
    });
  });

  it('writes every field of an entry in ndjson', () => {
    const json = JSON.parse(exportFormats.ndjson.line(entry));
    expect(json).toEqual({ ...entry, cost_usd: 0.00472 });
  });
});
