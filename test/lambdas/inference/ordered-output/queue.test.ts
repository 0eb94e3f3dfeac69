import { describe, expect, it } from 'vitest';
import type { PartWriter } from '#lambdas/inference/ordered-output/format.ts';
import { createOutputQueue, type QueuedPart } from '#lambdas/inference/ordered-output/queue.ts';
import { fc } from '#test/support/fast-check.ts';

/** Logs everything that the parts are told. */
function recorded() {
  const log: string[] = [];
  const queue = createOutputQueue();
  const writer = (name: string): PartWriter => ({
    open: () => log.push(`open ${name}`),
    write: ({ text }) => log.push(`${name} ${text}`),
    close: (isCutOff) => log.push(`${isCutOff ? 'cut' : 'close'} ${name}`),
  });
  const state = { complete: new Set<string>(), invalid: new Set<string>() };
  const add = (name: string): QueuedPart =>
    queue.add({
      writer: writer(name),
      isComplete: () => state.complete.has(name),
      isValid: () => !state.invalid.has(name),
    });
  return { log, queue, add, ...state };
}

const text = (value: string) => ({ kind: 'text', text: value }) as const;

describe('The parts of an output', () => {
  it('are written one after the other, and what arrives for a later one waits', () => {
    const { log, queue, add, complete } = recorded();
    const a = add('a');
    a.write(text('1'));
    const b = add('b');
    b.write(text('1'));
    a.write(text('2'));
    expect(log).toEqual(['open a', 'a 1', 'a 2']);
    complete.add('a');
    queue.advance();
    b.write(text('2'));
    expect(log.slice(3)).toEqual(['close a', 'open b', 'b 1', 'b 2']);
    queue.close(false);
    expect(log.slice(7)).toEqual(['close b']);
  });

  it('end when another begins, if they are complete', () => {
    const { log, add, complete } = recorded();
    complete.add('a').add('b');
    for (const name of ['a', 'b', 'c', 'd']) add(name);
    expect(log).toEqual(['open a', 'close a', 'open b', 'close b', 'open c']);
  });

  it('stay open as long as nothing follows them', () => {
    const { log, queue, add, complete } = recorded();
    complete.add('a');
    const a = add('a');
    queue.advance();
    a.write(text('1'));
    expect(log).toEqual(['open a', 'a 1']);
  });

  it('end before an invalid one, which does not end', () => {
    for (const isLast of [true, false]) {
      const { log, queue, add, complete, invalid } = recorded();
      complete.add('a').add('b');
      invalid.add('b');
      add('a');
      add('b');
      if (!isLast) add('c');
      queue.advance();
      queue.close(false);
      expect(log).toEqual(['open a', 'close a', 'open b']);
    }
  });

  it('of which the last is cut off all end', () => {
    const { log, queue, add, invalid } = recorded();
    invalid.add('b');
    for (const name of ['a', 'b', 'c']) add(name);
    queue.close(true);
    expect(log).toEqual(['open a', 'close a', 'open b', 'close b', 'open c', 'cut c']);
  });

  it('are complete and in order, whatever order their deltas have', () => {
    const steps = fc.array(fc.record({ part: fc.nat(4), isEnd: fc.boolean() }), { maxLength: 40 });
    fc.assert(
      fc.property(steps, (list) => {
        const { log, queue, add, complete } = recorded();
        const parts: QueuedPart[] = [];
        const expected: string[][] = [];
        for (const [at, { part, isEnd }] of list.entries()) {
          if (part >= parts.length) {
            expected.push([]);
            parts.push(add(`p${parts.length}`));
          }
          const index = Math.min(part, parts.length - 1);
          if (complete.has(`p${index}`)) continue;
          parts[index]?.write(text(String(at)));
          expected[index]?.push(`p${index} ${at}`);
          if (isEnd) complete.add(`p${index}`);
          queue.advance();
        }
        queue.close(false);
        expect(log).toEqual(
          expected.flatMap((deltas, index) => [`open p${index}`, ...deltas, `close p${index}`]),
        );
      }),
    );
  });
});
