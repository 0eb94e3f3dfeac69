import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { CreateForm } from '#dashboard/organization/create-form.tsx';
import { firstOrganizationName } from '#dashboard/organization/welcome-view.tsx';
import { only } from '../rendering/markup.ts';
import { renderOnPage } from '../rendering/page.ts';

describe('The name of a first organization', () => {
  it.each([
    ['Ada Lovelace', 'al@example.com', 'Ada Lovelace’s organization'],
    [null, 'ada+test@example.com', 'Ada’s organization'],
    [' ', 'grace@example.com', 'Grace’s organization'],
    ['x'.repeat(61), 'grace@example.com', 'My organization'],
  ])('of %j with the address %s is %s', (name, email, expected) => {
    expect(firstOrganizationName({ name, email })).toBe(expected);
  });
});

describe('The form of an organization', () => {
  it('begins in its name, which Enter accepts', async () => {
    const form = await renderOnPage(createElement(CreateForm, { defaultName: 'Ada’s organization' }));
    const { attributes } = only(form, 'input');
    expect([attributes.value, 'autofocus' in attributes]).toEqual(['Ada’s organization', true]);
    expect(only(form, 'button').attributes.type).toBe('submit');
  });
});
