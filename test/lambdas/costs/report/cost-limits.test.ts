/** What is too much for one answer: an error that names what to change. */
import { describe, expect, it } from 'vitest';
import { costLimits } from '#lambdas/costs/report/endpoint.ts';
import { rollupOf } from '#lambdas/costs/rollups/rollup.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { askMemory, askSources } from './ask-memory.ts';
import { createMemorySources } from './memory-sources.ts';
import { type AskedCosts, nothingAsked } from './summed-costs.ts';

const at = (text: string) => Date.parse(text);
const now = new Date('2026-02-01T12:00:00Z');

/** One every ten seconds for three hours, each in a session of its own. */
const entries = Array.from({ length: 1080 }, (_, place) =>
  logEntry({ id: createLogId(at('2026-01-31T09:00:00Z') + place * 10_000), session_id: `session-${place}` }),
);

async function itemsOf(asked: Partial<AskedCosts>): Promise<number> {
  const { read } = await askMemory({ entries, logShards: 1, now }, { ...nothingAsked, ...asked });
  return read.sums + read.entries;
}

async function refusal(asked: Partial<AskedCosts>, limits: { highestItems?: number; highestBytes?: number }) {
  try {
    await askMemory(
      { entries, logShards: 1, now },
      { ...nothingAsked, ...asked },
      { ...costLimits, ...limits },
    );
  } catch (error) {
    if (error instanceof GatewayError) return [error.status, error.code, error.param];
    throw error;
  }
  return null;
}

describe('the limits of an answer', () => {
  it('are 50,000 items and 6 MB', () => {
    expect(costLimits).toEqual({ highestItems: 50_000, highestBytes: 6_000_000 });
  });

  it.each([
    ['sums', { start: at('2026-01-31T09:00:00Z'), end: at('2026-01-31T11:59:00Z') }, 'start'],
    ['entries at the start', { start: at('2026-01-31T09:00:01Z'), group_by: 'api_key' }, 'start'],
    ['entries at the end', { start: at('2026-01-31T10:58:00Z'), end: at('2026-01-31T10:59:59Z') }, 'end'],
    [
      'entries at the end of groups',
      { start: at('2026-01-31T08:00:00Z'), end: at('2026-01-31T09:59:59Z'), group_by: 'session_id' },
      'end',
    ],
    ['groups', { group_by: 'session_id' }, 'group_by'],
    [
      'groups of a series',
      { start: at('2026-01-31T00:00:00Z'), group_by: 'session_id', interval: 'hour' },
      'group_by',
    ],
  ] as const)('refuse one item too many: %s', async (_case, asked, param) => {
    const items = await itemsOf(asked);
    expect(items).toBeGreaterThan(3);
    expect(await refusal(asked, { highestItems: items })).toBeNull();
    expect(await refusal(asked, { highestItems: items - 1 })).toEqual([400, 'invalid_request_error', param]);
  });

  it.each([
    [{}, 'start'],
    [{ group_by: 'session_id' }, 'start'],
    [{ start: at('2026-01-31T00:00:00Z'), interval: 'hour' }, 'start'],
    [{ start: at('2026-01-31T00:00:00Z'), interval: 'hour', group_by: 'session_id' }, 'limit'],
  ] as const)('refuse %o where the answer would be too long, and name %s', async (asked, param) => {
    expect(await refusal(asked, { highestBytes: 200 })).toEqual([400, 'invalid_request_error', param]);
  });

  it('count the bytes as the function hands them over, with every quote escaped', async () => {
    const { answer } = await askMemory({ entries, logShards: 1, now }, nothingAsked);
    const text = JSON.stringify(answer).replaceAll('"5.0976"', '5.0976');
    const bytes = Buffer.byteLength(text) + (text.match(/"/g) ?? []).length + 2;
    expect(await refusal({}, { highestBytes: bytes })).toBeNull();
    expect(await refusal({}, { highestBytes: bytes - 1 })).toEqual([400, 'invalid_request_error', 'start']);
  });

  it('hold for entries that have expired and are still looked at', async () => {
    const asked = { ...nothingAsked, start: at('2026-01-31T09:30:00Z'), group_by: 'user_id' };
    const options = { entries, expired: new Set(entries), logShards: 1, now };
    const ask = (highestItems: number) =>
      askMemory({ ...options, areDeleted: false }, asked, { ...costLimits, highestItems });
    const { answer } = await askMemory(options, asked);
    expect(answer.window).toMatchObject({ rounded_to: 'hour' });
    expect((await ask(1000)).answer).toEqual(answer);
    await expect(ask(300)).rejects.toThrow(
      'start cuts one hour in two, which has too many requests for that',
    );
  });

  it('stop the reading when they are reached', async () => {
    const { sources } = createMemorySources({ entries, logShards: 1, now });
    let sums = 0;
    const endless = {
      ...sources,
      rollups: {
        async *read() {
          for (const [sum] = entries.flatMap((entry) => rollupOf(entry, 'model') ?? []); sum; sums++)
            yield sum;
        },
      },
    };
    await expect(askSources(endless, nothingAsked, { ...costLimits, highestItems: 100 })).rejects.toThrow(
      'There are too many sums in this window',
    );
    expect(sums).toBe(100);
  });
});
