import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dollars, sideBySide, totalRow } from '#bench/cost/dollars.ts';
import type { Template } from '#bench/cost/setup.ts';
import { costTables } from '#bench/cost/tables.ts';
import { synthesizeGateway } from '#test/lib/synthesized-gateway.ts';

const document = readFileSync(join(import.meta.dirname, '../../../docs/cost.md'), 'utf8');
const tables = costTables(synthesizeGateway().template.toJSON() as Template);

describe('the tables of docs/cost.md', () => {
  it.each(tables.map((table) => [/^### (.*)$/m.exec(table)?.[1], table]))(
    'are as `node bench/cost.ts` prints them: %s',
    (_, table) => {
      expect(document).toContain(table);
    },
  );

  it('are all that there are', () => {
    expect(document.match(/^### .*$/gm)).toHaveLength(tables.length);
  });
});

describe('dollars', () => {
  it.each([
    [0, '0.00'],
    [0.0049, '< 0.01'],
    [0.005, '0.01'],
    [8.333375, '8.33'],
    [1234.5, '1,234.50'],
  ])('%d are shown as %s', (usd, text) => {
    expect(dollars(usd)).toBe(text);
  });

  it('stand side by side, with their sums', () => {
    const columns = [
      [
        { name: 'one', usd: 1 },
        { name: 'two', usd: 2.5 },
      ],
      [
        { name: 'one', usd: 3 },
        { name: 'two', usd: 0 },
      ],
    ];

    expect(sideBySide(columns)).toEqual([
      ['one', '1.00', '3.00'],
      ['two', '2.50', '0.00'],
    ]);
    expect(totalRow('both', columns)).toEqual(['**both**', '**3.50**', '**3.00**']);
  });
});
