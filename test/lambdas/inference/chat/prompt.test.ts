import { expect, it } from 'vitest';
import { hasProviderTools } from '#lambdas/inference/chat/prompt.ts';

const functions = [{ type: 'function', function: { name: 'f' } }];

it.each([
  [{}, false],
  [{ tools: functions }, false],
  [{ tools: [...functions, { type: 'web_search' }] }, true],
])('finds tools of the provider in a chat request: %j', (body, expected) => {
  expect(hasProviderTools({ body })).toBe(expected);
});
