/** Tests the recovery of requests to routes, whose attempts have entries of their own. */
import { expect, it } from 'vitest';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { zeroCounts } from '#lambdas/request-log/recover/restore-entry.ts';
import { fc } from '#test/support/fast-check.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { recoverInMemory } from './recovery-fixture.ts';

interface RoutedRequest {
  /** The superseded attempts, the first one first. */
  attempts: LogEntry[];
  /** One for each attempt, the last one included. */
  placeholders: LogEntry[];
  completed: LogEntry;
}

/** The request was sent to this many targets. */
function routedRequest(targets: number): RoutedRequest {
  const receivedAtMs = Date.now();
  const id = createLogId(receivedAtMs);
  const placeholders = Array.from({ length: targets }, (_, index) =>
    logEntry({ id, route: 'fast', attempt: index + 1, model: `model-${index + 1}`, outcome: 'interrupted' }),
  );
  const attempts = placeholders.slice(0, -1).map((placeholder) => ({
    ...placeholder,
    id: createLogId(receivedAtMs),
    outcome: 'timeout' as const,
    cost_usd: '0.5',
    superseded_by: id,
  }));
  const last = placeholders.at(-1) ?? logEntry({ id });
  return { attempts, placeholders, completed: { ...last, outcome: 'completed', cost_usd: '0.25' } };
}

/** The lines of the request, in the order in which they were printed. */
function linesOf({ attempts, placeholders, completed }: RoutedRequest): string[] {
  const forwarded = placeholders.map((placeholder, index) => {
    const attempt = attempts[index - 1];
    return JSON.stringify({
      event: 'request_forwarded',
      log_id: placeholder.id,
      entry: serializeLogEntry(placeholder),
      ...(attempt && { attempt: { log_id: attempt.id, entry: serializeLogEntry(attempt) } }),
    });
  });
  const end = { event: 'request_completed', log_id: completed.id, entry: serializeLogEntry(completed) };
  return [...forwarded, JSON.stringify(end)];
}

const byId = (entries: readonly LogEntry[]) => new Map(entries.map((entry) => [entry.id, entry]));

it('restores the finished attempts of a killed request, and the request as interrupted at its last target', async () => {
  const request = routedRequest(3);
  const { attempts, placeholders } = request;
  const lines = linesOf(request).slice(0, -1);

  const { counts, restored } = await recoverInMemory([lines]);

  expect(restored).toEqual(byId([...attempts, ...placeholders.slice(-1)]));
  expect(counts).toEqual({ ...zeroCounts, lines: 3, restored: 3, interrupted: 1 });
});

it('restores only what the table does not have', async () => {
  const request = routedRequest(3);
  const [first, second] = request.attempts;
  const lines = linesOf(request);

  const { counts, restored } = await recoverInMemory([lines], [first ?? logEntry(), request.completed]);

  expect([...restored.keys()]).toEqual([second?.id]);
  expect(counts).toEqual({ ...zeroCounts, lines: 4, restored: 1, alreadyPresent: 2 });
});

it('replaces a placeholder that was looked up by a newer one, but not by an older one', async () => {
  const requests = Array.from({ length: 500 }, () => routedRequest(2));
  const forwarded = (index: number) => requests.map((request) => linesOf(request)[index] ?? '');
  const last = requests.flatMap(({ attempts, placeholders }) => [...attempts, ...placeholders.slice(-1)]);
  const others = Array.from({ length: 1000 }, () => routedRequest(1)).map(
    (request) => linesOf(request)[0] ?? '',
  );

  for (const [one = 0, other = 0] of [
    [0, 1],
    [1, 0],
  ]) {
    const { restored } = await recoverInMemory([[...forwarded(one), ...others], forwarded(other)]);
    for (const { id } of last) expect(restored.get(id)).toEqual(last.find((entry) => entry.id === id));
  }
});

it('reports a line whose attempt is invalid as unreadable', async () => {
  const line = JSON.parse(linesOf(routedRequest(2))[1] ?? '');
  const { counts, restored } = await recoverInMemory([[JSON.stringify({ ...line, attempt: { entry: {} } })]]);

  expect(counts).toEqual({ ...zeroCounts, lines: 1, unreadable: 1 });
  expect(restored.size).toBe(0);
});

/** A line, which may be printed again or cut, in any place of the log. */
const fate = fc.record({
  copies: fc.constantFrom(1, 1, 1, 2, 0),
  isCut: fc.constantFrom(false, false, false, true),
  places: fc.tuple(fc.nat(), fc.nat()),
});

it('restores each attempt and each request once, in any order of lines, of which some repeat, are cut or are missing', async () => {
  const requests = fc.array(
    fc.record({
      targets: fc.integer({ min: 1, max: 4 }),
      isStored: fc.constantFrom(false, false, true),
      fates: fc.array(fate, { minLength: 5, maxLength: 5 }),
    }),
    { minLength: 1, maxLength: 4 },
  );
  await fc.assert(
    fc.asyncProperty(requests, fc.integer({ min: 1, max: 9 }), async (cases, batchSize) => {
      const printed: { place: number; text: string }[] = [];
      const expected: LogEntry[] = [];
      const stored: LogEntry[] = [];
      for (const { targets, isStored, fates } of cases) {
        const request = routedRequest(targets);
        const { attempts, placeholders, completed } = request;
        if (isStored) stored.push(completed, ...attempts.slice(0, 1));
        const isReadable = linesOf(request).map((line, index) => {
          const { copies = 0, isCut = false, places = [0, 0] } = fates[index] ?? {};
          const text = isCut ? line.slice(0, -5) : line;
          for (const place of places.slice(0, copies)) printed.push({ place, text });
          return copies > 0 && !isCut;
        });
        // The last line is the end of the request.
        const last = placeholders.findLast((_, index) => isReadable[index]);
        const end = isReadable.at(-1) ? completed : last;
        expected.push(...attempts.filter((_, index) => isReadable[index + 1]), ...(end ? [end] : []));
      }
      const lines = printed.toSorted((one, other) => one.place - other.place).map(({ text }) => text);
      const batches = Array.from({ length: Math.ceil(lines.length / batchSize) }, (_, index) =>
        lines.slice(index * batchSize, (index + 1) * batchSize),
      );

      const { restored } = await recoverInMemory(batches, stored);
      const known = new Set(stored.map(({ id }) => id));
      expect(restored).toEqual(byId(expected.filter(({ id }) => !known.has(id))));
    }),
  );
});
