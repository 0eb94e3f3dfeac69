/** What is too much for one answer: an error that names what to change. */
import { describe, expect, it } from 'vitest';
import type { CostDependencies } from '#lambdas/costs/report/read.ts';
import type { CostRollup } from '#lambdas/costs/rollups/rollup.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { askSources } from './ask-memory.ts';
import { createMemorySources } from './memory-sources.ts';
import { type AskedCosts, nothingAsked } from './summed-costs.ts';

const at = (text: string) => Date.parse(text);
const now = new Date('2026-02-01T12:00:00Z');
const maxItems = 50_000;

/** One every ten seconds for three hours, each in a session of its own. */
const entries = Array.from({ length: 1080 }, (_, place) =>
  logEntry({ id: createLogId(at('2026-01-31T09:00:00Z') + place * 10_000), session_id: `session-${place}` }),
);

const { sources } = createMemorySources({ entries, logShards: 1, now });

async function refusal(from: CostDependencies, asked: Partial<AskedCosts>) {
  try {
    await askSources(from, { ...nothingAsked, ...asked });
  } catch (error) {
    if (error instanceof GatewayError) return [error.status, error.code, error.param];
    throw error;
  }
  return null;
}

/** Of each read of sums or of entries only the first takes `items` more: sums of nothing, or entries that have expired. */
function padded(kind: 'sums' | 'entries', items: number): CostDependencies {
  let padding = items;
  const takePadding = () => {
    const taken = padding;
    padding = 0;
    return taken;
  };
  return {
    ...sources,
    rollups: {
      async *read(range) {
        yield* sources.rollups.read(range);
        if (kind === 'sums') yield* Array.from({ length: takePadding() }, () => emptySum);
      },
    },
    async *readEntries(range) {
      yield* sources.readEntries(range);
      if (kind === 'entries') range.onScanned(takePadding());
    },
  };
}

const emptySum: CostRollup = {
  startMs: at('2026-01-31T09:00:00Z'),
  provider: 'openai',
  model: 'gpt-4o',
  value: 'session-1',
  totals: { requests: 0, cost_usd: '0', input_tokens: 0, output_tokens: 0, unpriced_requests: 0 },
};

/** Each takes some 350 bytes of the response. */
const manyModels = (count: number): CostDependencies => ({
  ...sources,
  rollups: {
    async *read() {
      for (let model = 0; model < count; model++) {
        yield { ...emptySum, model: `${String(model).padStart(5, '0')}-${'m'.repeat(243)}` };
      }
    },
  },
});

describe('the limits of an answer', () => {
  it.each([
    ['sums', 'sums', { start: at('2026-01-31T09:00:00Z'), end: at('2026-01-31T11:59:00Z') }, 'start'],
    ['entries at the start', 'entries', { start: at('2026-01-31T09:00:01Z'), group_by: 'api_key' }, 'start'],
    [
      'entries at the end',
      'entries',
      { start: at('2026-01-31T10:58:00Z'), end: at('2026-01-31T10:59:59Z') },
      'end',
    ],
    ['groups', 'sums', { group_by: 'session_id' }, 'group_by'],
    [
      'groups of a series',
      'sums',
      { start: at('2026-01-31T00:00:00Z'), group_by: 'session_id', interval: 'hour' },
      'group_by',
    ],
  ] as const)('refuse one item too many: %s', async (_case, kind, asked, param) => {
    const { sources: counted, read } = createMemorySources({ entries, logShards: 1, now });
    await askSources(counted, { ...nothingAsked, ...asked });
    const free = maxItems - read.sums - read.entries;

    expect(await refusal(padded(kind, free), asked)).toBeNull();
    expect(await refusal(padded(kind, free + 1), asked)).toEqual([400, 'invalid_request_error', param]);
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
  ] as const)('refuse %o where the answer would be longer than 6 MB, and name %s', async (asked, param) => {
    expect(await refusal(manyModels(19_000), asked)).toEqual([400, 'invalid_request_error', param]);
  });

  it('take an answer of nearly 6 MB', async () => {
    expect(await refusal(manyModels(15_000), {})).toBeNull();
  });

  it('stop the reading when they are reached', async () => {
    let sums = 0;
    const endless: CostDependencies = {
      ...sources,
      rollups: {
        async *read() {
          for (; ; sums++) yield emptySum;
        },
      },
    };
    await expect(askSources(endless, nothingAsked)).rejects.toThrow('There are too many sums in this window');
    expect(sums).toBe(maxItems);
  });
});
