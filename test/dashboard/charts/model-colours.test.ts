import { describe, expect, it } from 'vitest';
import { assignColours, colourOfHash } from '#dashboard/charts/model-colours.ts';

const names = Array.from({ length: 12 }, (_, index) => `openai/model-${index}`);

describe('assignColours', () => {
  it('gives the first ten names different colours, and the others that of their hash', () => {
    const colours = assignColours(names);

    const firstTen = names.slice(0, 10).map((name) => colours.get(name));
    expect(firstTen.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(names.slice(10).map((name) => colours.get(name))).toEqual(names.slice(10).map(colourOfHash));
  });

  it('gives a name the next free colour when that of its hash is taken', () => {
    const [first, second] = ['openai/model-0', 'openai/model-20'];
    expect(colourOfHash(second)).toBe(colourOfHash(first));

    const colours = assignColours([first, second]);
    expect(colours.get(first)).toBe(colourOfHash(first));
    expect(colours.get(second)).toBe((colourOfHash(first) + 1) % 10);
  });

  it('keeps the colour of a name when a cheaper one follows', () => {
    expect(assignColours(names).get('openai/model-3')).toBe(
      assignColours(names.slice(0, 4)).get('openai/model-3'),
    );
  });
});
