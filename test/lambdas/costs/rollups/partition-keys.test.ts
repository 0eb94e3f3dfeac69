import { describe, expect, it } from 'vitest';
import { itemKey } from '#lambdas/costs/rollups/item.ts';
import { additionsOf } from '#lambdas/costs/rollups/rollup.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { logEntriesSchema } from '#lambdas/request-log/table/schema.ts';
import { character, fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';

describe('Partition keys', () => {
  const values = fc.oneof(
    fc.string({ unit: character, minLength: 1 }),
    fc.stringMatching(/^[#/:_0-9a-z]{1,12}$/),
    fc.constantFrom('org_B#0', 'org_B#0#totals#day#0', '#', '0#', 'state'),
  );
  const entries = fc
    .record({
      model: values,
      provider: fc.constantFrom('openai', 'mistral'),
      prompt_id: values,
      session_id: values,
      user_id: values,
      api_key_id: values,
    })
    .map((fields) => logEntry(fields));

  it('starts every partition key with the organization id, for any values', () => {
    fc.assert(
      fc.property(entries, (entry) => {
        const organization_id = 'org_AAAAAAAAAAAAAAAA';
        const item = toItem({ ...entry, organization_id }, { writtenAtMs: 0, expiresAtSeconds: 0 });
        const partitions = [logEntriesSchema, ...Object.values(logEntriesSchema.indexes)]
          .map((keys) => keys.partitionKey)
          .map((name) => item[name]);
        const rows = additionsOf({ ...entry, organization_id }).map(({ key }) => itemKey(0, key).pk);
        for (const key of [...partitions, ...rows].filter((key) => key !== undefined)) {
          expect(String(key).split('#')[0]).toBe(organization_id);
        }
      }),
    );
  });

  it('returns different keys for entries with different values', () => {
    const keysOf = (entry: LogEntry) => {
      const item = toItem(entry, { writtenAtMs: 0, expiresAtSeconds: 0 });
      const rows = additionsOf(entry).map(({ key }) => Object.values(itemKey(0, key)).join('\n'));
      return {
        user: item[logEntriesSchema.indexes.user_id.partitionKey],
        rows: rows.filter((row) => row.includes('#user_id#')),
      };
    };
    fc.assert(
      fc.property(entries, entries, (one, other) => {
        fc.pre(one.user_id !== other.user_id);
        const id = one.id;
        const [left, right] = [keysOf(one), keysOf({ ...other, id, created_at: one.created_at })];
        expect(left.user).not.toBe(right.user);
        expect(left.rows.filter((row) => right.rows.includes(row))).toEqual([]);
      }),
    );
  });
});
