import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { AllowedModelsSection } from '#dashboard/allowed-models/allowed-models-section.tsx';
import { ModelsForm } from '#dashboard/allowed-models/models-dialog.tsx';
import { ModelsField } from '#dashboard/allowed-models/models-field.tsx';
import type { ModelsOwner } from '#dashboard/allowed-models/patterns.ts';
import { KeyAllowedModels } from '#dashboard/keys/page/allowed-models.tsx';
import type { ApiKeyDetails, OrganizationDetails } from '#lambdas/accounts/organizations/responses.ts';
import { apiKeyOf, keyIdOf } from '../keys/api-key.ts';
import { names, textOf, texts } from '../rendering/markup.ts';
import { acme, renderOnPage } from '../rendering/page.ts';

const ofAcme: ModelsOwner = { keyId: null, name: 'Acme', models: ['openai/*', 'route/*'] };

describe('The allowed models of an organization', () => {
  const sectionFor = (role: OrganizationDetails['role'], owner = ofAcme) =>
    renderOnPage(
      createElement(AllowedModelsSection, { owner, description: 'Those that its keys may use.' }),
      {
        organization: { ...acme, role },
      },
    );

  it('are shown to everybody, and changed by those who may', async () => {
    for (const role of ['viewer', 'admin'] as const)
      expect(texts(await sectionFor(role), 'li')).toEqual(['openai/*', 'route/*']);
    expect(names(await sectionFor('admin'), 'button')).toEqual(['Change allowed models']);
    expect(names(await sectionFor('member'), 'button')).toEqual([]);
  });

  it('are all of them without a list', async () => {
    expect(textOf(await sectionFor('viewer', { ...ofAcme, models: null }))).toBe(
      'Allowed modelsThose that its keys may use.All models.',
    );
  });
});

describe('The allowed models of a key', () => {
  const panelOf = (fields: Partial<ApiKeyDetails>, models: string[] | null = null) => {
    const apiKey = { ...apiKeyOf(1), replaces: [], replaced_by: null, has_been_seen: true, ...fields };
    return renderOnPage(createElement(KeyAllowedModels, { apiKey }), { organization: { ...acme, models } });
  };

  it('are shown with those of the organization, which limit it too', async () => {
    expect(textOf(await panelOf({ models: ['openai/gpt-*'] }, ['openai/*']))).toBe(
      'Allowed modelsA request must fit the list of its key and that of the organization.Change' +
        'openai/gpt-*All keys of Acme, so this one too:openai/*',
    );
    expect(textOf(await panelOf({}, ['openai/*']))).toContain('All that the organization allows.');
    expect(textOf(await panelOf({}))).toContain('ChangeAll models.');
  });

  it('are those of the first of rotated keys, and of a key that has ended cannot be changed', async () => {
    const replaces = [{ id: keyIdOf(2), name: 'key 2', last_four: 'aB3d', state: 'revoked' as const }];
    expect(textOf(await panelOf({ replaces }))).toContain('rotations share them');
    expect(names(await panelOf({ state: 'revoked' }), 'button')).toEqual([]);
  });
});

describe('The form of allowed models', () => {
  it('begins with the present patterns, one on each line', async () => {
    const form = createElement(ModelsForm, { owner: ofAcme, onDone: () => {} });
    const shown = await renderOnPage(form);
    expect(texts(shown, 'textarea')).toEqual(['openai/*\nroute/*']);
    expect(names(shown, '[aria-checked=true]')).toEqual(['Only some']);
  });

  it('has no patterns for all models', async () => {
    const field = createElement(ModelsField, {
      value: { choice: 'all', patterns: '' },
      onValueChange: () => {},
    });
    const shown = await renderOnPage(field);
    expect(texts(shown, 'textarea')).toEqual([]);
    expect(textOf(shown)).toContain('Also those that providers add later, and routes.');
  });
});
