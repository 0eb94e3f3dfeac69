import { describe, expect, it } from 'vitest';
import { exportFormats } from '#cli/logs/export/formats.ts';
import { readCsv } from '#test/support/csv-reader.ts';
import { logEntry } from '#test/support/log-entries.ts';

describe('exportFormats', () => {
  const entry = logEntry({
    service_tier: 'flex',
    speed: 'fast',
    inference_geo: 'us',
    region: 'eu',
    pricing: 'assumed',
    pricing_gaps: ['code_execution'],
    billed_parts: [
      { model: 'gpt-4o', input_tokens: 1, output_tokens: 2, web_searches: 3 },
      { model: 'say "hi"', input_tokens: 4, output_tokens: 5 },
    ],
  });

  it('writes lists as JSON text in csv, and all other fields as their values', () => {
    const { header, lines } = exportFormats.csv.create();
    const [names = [], values = []] = readCsv(header + lines(entry));
    const record = Object.fromEntries(names.map((name, index) => [name, values[index]]));

    expect(names.toSorted()).toEqual(Object.keys(entry).sort());
    expect(record).toMatchObject({
      service_tier: 'flex',
      speed: 'fast',
      inference_geo: 'us',
      region: 'eu',
      pricing: 'assumed',
      pricing_gaps: '["code_execution"]',
      billed_parts:
        '[{"model":"gpt-4o","input_tokens":1,"output_tokens":2,"web_searches":3},' +
        '{"model":"say \\"hi\\"","input_tokens":4,"output_tokens":5}]',
      context_tokens: null,
    });
  });

  it('writes every field of an entry in ndjson', () => {
    const json = JSON.parse(exportFormats.ndjson.create().lines(entry));
    expect(json).toEqual({ ...entry, cost_usd: 0.00472 });
  });
});
