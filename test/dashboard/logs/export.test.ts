import { describe, expect, it } from 'vitest';
import { exportCommand } from '#dashboard/logs/export-dialog.tsx';
import {
  entryLine,
  exportEntries,
  exportFileName,
  headerLine,
  type ReadPage,
} from '#dashboard/logs/export-entries.ts';
import { toListedEntry } from '#lambdas/accounts/analytics/logs.ts';
import { logEntryFieldNames } from '#lambdas/request-log/entry.ts';
import { logEntry } from '#test/support/log-entries.ts';

const listed = toListedEntry(logEntry({ user_id: '=1+1', cost_usd: '0.000000000001' }));

describe('Lines of the export', () => {
  it('have the fields of a listed entry in the order of the API', () => {
    const fields = logEntryFieldNames.filter((name) => name !== 'organization_id' && name !== 'billed_parts');
    expect(headerLine).toBe(`${fields.join(',')}\r\n`);
  });

  it('have exact amounts, and no formulas', () => {
    const values = entryLine(listed).trimEnd().split(',');
    const columns = headerLine.trimEnd().split(',');
    expect(values[columns.indexOf('cost_usd')]).toBe('0.000000000001');
    expect(values[columns.indexOf('user_id')]).toBe("'=1+1");
    expect(values[columns.indexOf('session_id')]).toBe('');
  });
});

describe('exportEntries', () => {
  const pagesOf =
    (count: number): ReadPage =>
    async (cursor) => {
      const number = Number(cursor) + 1;
      return {
        data: Array.from({ length: 1000 }, () => listed),
        next_cursor: number < count ? `${number}` : null,
        sorted: null,
      };
    };

  it('reads all pages, and reports how far it has come', async () => {
    const counts: number[] = [];
    const { entries, isComplete, oldest, file } = await exportEntries(pagesOf(3), (progress) =>
      counts.push(progress.entries),
    );
    expect({ entries, isComplete, oldest }).toEqual({
      entries: 3000,
      isComplete: true,
      oldest: '2026-01-31T09:30:00.000Z',
    });
    expect(counts).toEqual([1000, 2000, 3000]);
    expect(await file.text()).toBe(headerLine + entryLine(listed).repeat(3000));
  });

  it('stops at 100,000 entries', async () => {
    const { entries, isComplete } = await exportEntries(pagesOf(101), () => {});
    expect({ entries, isComplete }).toEqual({ entries: 100_000, isComplete: false });
    expect((await exportEntries(pagesOf(100), () => {})).isComplete).toBe(true);
  });

  it('of a sorted list has its page, from the oldest to the newest of its entries, and says whether more match', async () => {
    const days = ['2026-11-20', '2026-11-23', '2026-11-01'];
    const data = days.map((day) => ({ ...listed, created_at: `${day}T10:00:00.000Z` }));
    const sorted = { searched_entries: 12_000, searched_back_to: null, more_matches: true };
    const exported = await exportEntries(
      async () => ({ data, next_cursor: null, sorted }),
      () => {},
    );
    expect(exported).toMatchObject({
      newest: '2026-11-23T10:00:00.000Z',
      oldest: '2026-11-01T10:00:00.000Z',
      isComplete: false,
    });
    expect(await exported.file.text()).toBe(headerLine + data.map(entryLine).join(''));
  });
});

describe('exportFileName', () => {
  it('has the days of the oldest and newest entry', () => {
    expect(exportFileName('2026-11-23T10:00:00.000Z', '2026-11-01T10:00:00.000Z')).toBe(
      'requests-2026-11-01-to-2026-11-23.csv',
    );
  });
});

describe('exportCommand', () => {
  it('exports the window of the organization', () => {
    const window = { start: new Date('2026-10-31T23:00:00Z'), end: new Date('2026-11-23T12:00:00Z') };
    expect(exportCommand('org_1', window)).toBe(
      'npm run admin -- logs export --organization org_1 --from 2026-10-31T23:00:00.000Z --to 2026-11-23T12:00:00.000Z --format csv',
    );
  });
});
