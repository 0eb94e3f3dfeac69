import { expect, it } from 'vitest';
import { isUuid } from '#lambdas/platform/uuid.ts';

it('distinguishes UUIDs from other text', () => {
  expect(isUuid('0191F0A0-0000-7000-8000-000000000000')).toBe(true);
  expect(isUuid('0191f0a0-0000-7000-8000-00000000000')).toBe(false);
  expect(isUuid('0191f0a0-0000-7000-8000-000000000000 ')).toBe(false);
  expect(isUuid('__proto__')).toBe(false);
});
