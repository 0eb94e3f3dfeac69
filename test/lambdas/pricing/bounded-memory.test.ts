import { expect, it } from 'vitest';
import { createBoundedMemory } from '#lambdas/pricing/price-table.ts';

/** The texts that were worked out, in the order in which they were. */
function workedOut(texts: string[], bounds: { entries: number; longestKey: number }): string[] {
  const worked: string[] = [];
  const remember = createBoundedMemory<{ text: string } | null>(bounds);
  for (const text of texts) {
    const value = remember(text, () => {
      worked.push(text);
      return text === 'nothing' ? null : { text };
    });
    expect(value).toEqual(text === 'nothing' ? null : { text });
  }
  return worked;
}

it('works a text out once, also when nothing comes of it', () => {
  const texts = ['one', 'nothing', 'one', 'nothing', 'one'];
  expect(workedOut(texts, { entries: 2, longestKey: 10 })).toEqual(['one', 'nothing']);
});

it('never holds more than its bound', () => {
  const texts = ['one', 'two', 'three', 'three', 'one', 'two', 'one'];
  expect(workedOut(texts, { entries: 2, longestKey: 10 })).toEqual([
    'one',
    'two',
    'three',
    'one',
    'two',
    'one',
  ]);
});

it('does not hold what is longer than its bound', () => {
  const texts = ['four', 'fives', 'four', 'fives'];
  expect(workedOut(texts, { entries: 2, longestKey: 4 })).toEqual(['four', 'fives', 'fives']);
});
