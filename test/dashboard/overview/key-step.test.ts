import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { KeyStep } from '#dashboard/overview/first-request/steps.tsx';
import type { Role } from '#lambdas/accounts/permissions.ts';
import { texts } from '../rendering/markup.ts';
import { acme, renderOnPage } from '../rendering/page.ts';

/** The text and the buttons of the step, with so many keys. */
async function stepOf(count: number | null, role: Role = 'member') {
  const keys = Array.from({ length: count ?? 0 }, (_, index) => ({
    id: `key_${index}`,
    name: `key ${index}`,
    last_four: 'aB3d',
    state: 'active' as const,
  }));
  const step = createElement(KeyStep, { keys: count === null ? undefined : keys });
  const shown = await renderOnPage(step, { organization: { ...acme, role } });
  return [...texts(shown, 'p'), ...texts(shown, 'button')];
}

describe('The first step to a request', () => {
  const invitation = 'Your application calls models with it. It is shown only once.';

  it('is to create a key', async () => {
    expect(await stepOf(null)).toEqual([invitation, 'Create key']);
    expect(await stepOf(0)).toEqual([invitation, 'Create key']);
    expect(await stepOf(0, 'viewer')).toEqual([expect.stringMatching(/^You are a viewer\./)]);
  });

  it.each([
    [1, 'The key “key 0” exists.'],
    [2, '2 keys exist.'],
    [99, '99 keys exist.'],
    [100, 'At least 100 keys exist.'],
  ])('is done with %i keys: %s', async (count, text) => {
    expect(await stepOf(count)).toEqual([text, 'Create another key']);
  });
});
