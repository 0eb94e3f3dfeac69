import { describe, expect, it } from 'vitest';
import { parseLogQuery } from '#lambdas/reports/logs/query/query.ts';
import { readNewEntries, tailOfPage } from '#lambdas/reports/logs/tail.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId, timestampOfLogId } from '#lambdas/request-log/id.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { memoryLogEntries } from '#test/support/reports/memory-log-entries.ts';
import { memoryRollups } from '#test/support/reports/memory-rollups.ts';
import { byTestForm } from '#test/support/test-form.ts';

const startMs = Date.UTC(2026, 0, 31, 9, 30);
const secondMs = 1000;
const minuteMs = 60 * secondMs;
const maxRequestMs = 15 * minuteMs;

const entryAt = (createdMs: number, latency_ms: number) =>
  logEntry({ id: createLogId(createdMs), latency_ms });

/** By the clock of the writer. */
const writtenAtMs = ({ id, latency_ms }: LogEntry) => timestampOfLogId(id) + latency_ms;

interface Call {
  stored: LogEntry[];
  tail: string;
  nowMs: number;
  parameters?: Record<string, string>;
}

function read({ stored, tail, nowMs, parameters = {} }: Call) {
  const { reader, reads } = memoryLogEntries(stored);
  const dependencies = {
    ...memoryRollups({ nowMs }).dependencies,
    logEntries: reader,
    logAccessOf: async () => ({ shards: 1, cursorKey: 'a2V5' }),
  };
  const raw = Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, [value]]));
  return readNewEntries(dependencies, 'org_1', raw, tail).then((result) => ({ ...result, reads }));
}

const firstTail = (nowMs: number) => tailOfPage(parseLogQuery('org_1', {}), nowMs) ?? '';

describe('The tail of a list', () => {
  it('has what was written since the last call, and nothing when nothing was', async () => {
    const [old, long, short] = [
      entryAt(startMs - 20 * secondMs, 10 * secondMs),
      entryAt(startMs - 25 * secondMs, 26 * secondMs),
      entryAt(startMs, 1500),
    ];
    const stored = [old, long, short];

    const first = await read({ stored, tail: firstTail(startMs), nowMs: startMs + 2 * secondMs });
    const second = await read({ stored, tail: first.tail, nowMs: startMs + 10 * secondMs });
    const third = await read({ stored, tail: second.tail, nowMs: startMs + 12 * secondMs });

    expect([first.entries, first.hasMore]).toEqual([[short, long], false]);
    expect(second.entries).toEqual([short, long]);
    expect(third.entries).toEqual([]);
  });

  it('says that entries are missing when there are more than the limit', async () => {
    const stored = Array.from({ length: 3 }, (_, index) => entryAt(startMs + index, 0));

    const few = await read({ stored, tail: firstTail(startMs), nowMs: startMs, parameters: { limit: '2' } });
    const all = await read({ stored, tail: firstTail(startMs), nowMs: startMs, parameters: { limit: '3' } });

    expect([few.entries, few.hasMore]).toEqual([stored.toReversed().slice(0, 2), true]);
    expect([all.entries, all.hasMore]).toEqual([stored.toReversed(), false]);
  });

  it('reads entries of the last half minute, but once a minute those of the longest requests', async () => {
    // One request a second.
    const stored = Array.from({ length: 3000 }, (_, index) => entryAt(startMs - index * secondMs, 0));
    const evaluatedAfter = async (ms: number) => {
      const { reads } = await read({ stored, tail: firstTail(startMs), nowMs: startMs + ms });
      return reads.reduce((sum, { evaluated }) => sum + evaluated, 0);
    };

    expect(await evaluatedAfter(2 * secondMs)).toBe(33);
    expect(await evaluatedAfter(59 * secondMs)).toBe(33);
    expect(await evaluatedAfter(60 * secondMs)).toBe(1031);
  });

  it('belongs to first pages by time, the newest first', async () => {
    for (const [name, value] of Object.entries({ sort: 'retries', order: 'asc', offset: '1', cursor: 'x' })) {
      const parameters = { [name]: value };
      await expect(
        read({ stored: [], tail: firstTail(startMs), nowMs: startMs, parameters }),
      ).rejects.toMatchObject({ status: 400, param: 'written_after' });
    }
    for (const tail of ['x', '1', '1-', '-1-1', '1-1-1', '123456789012345-1']) {
      await expect(read({ stored: [], tail, nowMs: startMs })).rejects.toMatchObject({
        status: 400,
        param: 'written_after',
        message: 'written_after must be the tail of a list with the same parameters: load the list anew',
      });
    }
  });

  it('misses no entry, whatever the duration of its request, the clock of its writer and the pauses', async () => {
    const requests = fc.record({
      startMs: fc.integer({ min: -maxRequestMs, max: 4 * minuteMs }),
      durationMs: fc.oneof(fc.integer({ min: 0, max: 40_000 }), fc.integer({ min: 0, max: maxRequestMs })),
      /** The difference of the writer's clock from the reader's. */
      skewMs: fc.oneof(fc.constant(0), fc.integer({ min: -minuteMs, max: minuteMs })),
      /** From the write time to its effect. */
      writeMs: fc.oneof(fc.constant(5), fc.integer({ min: 0, max: 5000 })),
    });
    const property = fc.asyncProperty(
      fc.array(requests, { minLength: 20, maxLength: 60 }),
      fc.array(fc.oneof(fc.constant(2000), fc.integer({ min: 1, max: 5 * minuteMs })), {
        minLength: 1,
        maxLength: 40,
      }),
      async (specs, pauses) => {
        const written = specs.map((spec) => ({
          entry: entryAt(startMs + spec.startMs + spec.skewMs, spec.durationMs),
          visibleMs: startMs + spec.startMs + spec.durationMs + spec.writeMs,
        }));
        const visibleAt = (nowMs: number) =>
          written.filter(({ visibleMs }) => visibleMs <= nowMs).map(({ entry }) => entry);
        const known = new Set(visibleAt(startMs).map(({ id }) => id));
        let nowMs = startMs;
        let tail = firstTail(nowMs);
        // The last two are a minute apart, so the last one reads the entries of all requests that the first has ended with.
        for (const pause of [...pauses, minuteMs, minuteMs]) {
          nowMs += pause;
          const result = await read({ stored: visibleAt(nowMs), tail, nowMs, parameters: { limit: '1000' } });
          for (const { id } of result.entries) known.add(id);
          tail = result.tail;
        }
        expect(
          visibleAt(nowMs)
            .filter(({ id }) => !known.has(id))
            .map(writtenAtMs),
        ).toEqual([]);
      },
    );
    await fc.assert(property, { numRuns: byTestForm({ short: 60, long: 1000 }) });
  });
});
