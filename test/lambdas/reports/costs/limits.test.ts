import { describe, expect, it } from 'vitest';
import type { CostRollup } from '#lambdas/costs/rollups/rollup.ts';
import { noTotals } from '#lambdas/costs/rollups/totals.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { CostDependencies } from '#lambdas/reports/costs/read.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { type CostParameters, noParameters } from './support/expected-costs.ts';
import { getCosts } from './support/get-costs-in-memory.ts';
import { createInMemoryCosts } from './support/in-memory-costs.ts';

const at = (text: string) => Date.parse(text);
const now = new Date('2026-02-01T12:00:00Z');
const maxItems = 50_000;

/** An entry every ten seconds for three hours, each with its own session. */
const entries = Array.from({ length: 1080 }, (_, index) =>
  logEntry({ id: createLogId(at('2026-01-31T09:00:00Z') + index * 10_000), session_id: `session-${index}` }),
);

const { dependencies } = createInMemoryCosts({ entries, logShards: 1, now });

async function errorOf(dependencies: CostDependencies, parameters: Partial<CostParameters>) {
  try {
    await getCosts(dependencies, { ...noParameters, ...parameters });
  } catch (error) {
    if (error instanceof GatewayError) return [error.status, error.code, error.param];
    throw error;
  }
  return null;
}

/** Adds `itemCount` items to the first read of its kind: empty rollup rows, or expired entries. */
function withPadding(kind: 'rollup rows' | 'entries', itemCount: number): CostDependencies {
  let padding = itemCount;
  const takePadding = () => {
    const taken = padding;
    padding = 0;
    return taken;
  };
  return {
    ...dependencies,
    rollupReader: {
      ...dependencies.rollupReader,
      async *read(range) {
        yield* dependencies.rollupReader.read(range);
        if (kind === 'rollup rows') yield* Array.from({ length: takePadding() }, () => emptyRollup);
      },
    },
    async *readEntries(range) {
      yield* dependencies.readEntries(range);
      if (kind === 'entries') range.onScanned(takePadding());
    },
  };
}

const emptyRollup: CostRollup = {
  startMs: at('2026-01-31T09:00:00Z'),
  provider: 'openai',
  operation: 'chat.completions',
  serviceTier: null,
  model: 'gpt-4o',
  value: 'session-1',
  totals: { ...noTotals, requests: 1 },
};

/** The response has about 800 bytes for each model. */
const withModels = (count: number): CostDependencies => ({
  ...dependencies,
  rollupReader: {
    ...dependencies.rollupReader,
    async *read() {
      for (let model = 0; model < count; model++) {
        yield { ...emptyRollup, model: `${String(model).padStart(5, '0')}-${'m'.repeat(243)}` };
      }
    },
  },
});

describe('GET /api/costs limits', () => {
  it.each([
    [
      'rollup rows',
      'rollup rows',
      { start: at('2026-01-31T09:00:00Z'), end: at('2026-01-31T11:59:00Z') },
      'start',
    ],
    ['entries at the start', 'entries', { start: at('2026-01-31T09:00:01Z'), group_by: 'api_key' }, 'start'],
    [
      'entries at the end',
      'entries',
      { start: at('2026-01-31T10:58:00Z'), end: at('2026-01-31T10:59:59Z') },
      'end',
    ],
    ['groups', 'rollup rows', { group_by: 'session_id' }, 'group_by'],
    [
      'groups of a series',
      'rollup rows',
      { start: at('2026-01-31T00:00:00Z'), group_by: 'session_id', interval: 'hour' },
      'group_by',
    ],
  ] as const)('rejects a query that reads one item too many: %s', async (_case, kind, parameters, param) => {
    const { dependencies, reads } = createInMemoryCosts({ entries, logShards: 1, now });
    await getCosts(dependencies, { ...noParameters, ...parameters });
    const remaining = maxItems - reads.rollupRows - reads.entries;

    expect(await errorOf(withPadding(kind, remaining), parameters)).toBeNull();
    expect(await errorOf(withPadding(kind, remaining + 1), parameters)).toEqual([
      400,
      'invalid_request_error',
      param,
    ]);
  });

  it('counts a query for a value in a period and shard as an item, found or not', async () => {
    const window = { start: at('2025-12-01T00:00:00Z'), end: at('2026-01-11T16:00:00Z') };
    const atBothEnds = [window.start, window.end - 1].map((time) =>
      logEntry({ id: createLogId(time), user_id: 'ada' }),
    );
    const errorWith = (logShards: number) =>
      errorOf(createInMemoryCosts({ entries: atBothEnds, logShards, now }).dependencies, {
        ...window,
        interval: 'hour',
        user_id: 'ada',
      });
    // A thousand hours and two rows.
    expect(await errorWith(49)).toBeNull();
    expect(await errorWith(50)).toEqual([400, 'invalid_request_error', 'start']);
  });

  it('names compare when the range to compare with splits a minute with too many entries', async () => {
    const padded = { ...withPadding('entries', maxItems + 1), now: () => new Date('2026-02-01T12:00:30Z') };
    const parameters = { start: at('2026-02-01T11:00:00Z'), compare: 'previous' } as const;
    expect(await errorOf(padded, parameters)).toEqual([400, 'invalid_request_error', 'compare']);
  });

  it.each([
    [{}, 'start'],
    [{ group_by: 'model' }, 'start'],
    [{ start: at('2026-01-31T09:00:00Z'), end: at('2026-01-31T10:00:00Z'), interval: 'hour' }, 'start'],
    [
      {
        start: at('2026-01-31T09:00:00Z'),
        end: at('2026-01-31T10:00:00Z'),
        interval: 'hour',
        group_by: 'model',
      },
      'limit',
    ],
  ] as const)('rejects %o when the response would exceed 6 MB, and names %s', async (parameters, param) => {
    expect(await errorOf(withModels(9000), parameters)).toEqual([400, 'invalid_request_error', param]);
  });

  it('allows a response of nearly 6 MB', async () => {
    expect(await errorOf(withModels(7000), {})).toBeNull();
  });

  it('stops reading at the maximum number of items', async () => {
    let rollupRows = 0;
    const endlessRollups: CostDependencies = {
      ...dependencies,
      rollupReader: {
        ...dependencies.rollupReader,
        async *read() {
          for (; ; rollupRows++) yield emptyRollup;
        },
      },
    };
    await expect(getCosts(endlessRollups, noParameters)).rejects.toThrow('The window has too many sums');
    expect(rollupRows).toBe(maxItems);
  });
});
