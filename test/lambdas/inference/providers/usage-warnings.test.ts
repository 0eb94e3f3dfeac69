import { expect, it } from 'vitest';
import { createUsageFrames } from '#lambdas/inference/providers/usage-frames.ts';
import { usageWarningsOf } from '#lambdas/inference/providers/usage-warnings.ts';
import { parseExactJson } from '#lambdas/platform/json/exact-json.ts';

const parts = { input: 100, output: 10, others: [7, undefined] };
const frames = createUsageFrames();

it.each([
  ['input and output', 110],
  ['all counts', 117],
  ['input alone', 100],
  ['input with another count', 107],
  ['nothing', undefined],
  ['0', 0],
  ['text', '111'],
])('accepts a total of %s', (_, total) => {
  expect(usageWarningsOf(frames, { ...parts, total })).toEqual([]);
});

it.each([1, 99, 109, 111, 118, 1000])('warns of the total %d, which is no sum of the counts', (total) => {
  expect(usageWarningsOf(frames, { ...parts, total })).toEqual(['total_differs']);
});

it('compares no total with counts that are missing or unreadable', () => {
  expect(usageWarningsOf(frames, { ...parts, total: 9, input: undefined })).toEqual([]);
  expect(usageWarningsOf(frames, { ...parts, total: 9, output: '10' })).toEqual([]);
});

it('reads numbers with decimals', () => {
  const total = parseExactJson('110.0');
  expect(usageWarningsOf(frames, { ...parts, total, output: parseExactJson('10.0') })).toEqual([]);
});

it('does not compare the total of counts that have decreased', () => {
  const decreasing = createUsageFrames();
  decreasing.add({ prompt_tokens: 9 });
  decreasing.add({ prompt_tokens: 8 });
  expect(usageWarningsOf(decreasing, { ...parts, total: 1 })).toEqual(['counts_decreased']);
});
