import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { ApiError } from '#dashboard/api/client.ts';
import { suggestedModels } from '#dashboard/routes/editor/model-field.tsx';
import { atField, RouteForm } from '#dashboard/routes/editor/route-dialog.tsx';
import { targetFieldNames } from '#dashboard/routes/editor/target-fields.tsx';
import type { RouteSummary } from '#lambdas/accounts/organizations/responses.ts';
import { all, names, texts } from '../rendering/markup.ts';
import { renderOnPage } from '../rendering/page.ts';
import { routeOfAcme } from './route-summary.ts';

const formOf = (route: RouteSummary | null) =>
  renderOnPage(createElement(RouteForm, { route, routes: [], onDone: () => {} }));

describe('The suggested models of a target', () => {
  const models = [
    { id: 'anthropic/claude-haiku-4-5', set_up: false },
    { id: 'openai/gpt-4o', set_up: true },
    { id: 'openai/gpt-4o-mini', set_up: true },
  ];

  it('are those that can be called and have the text', () => {
    expect(suggestedModels(models, '')).toEqual(['openai/gpt-4o', 'openai/gpt-4o-mini']);
    expect(suggestedModels(models, ' MINI')).toEqual(['openai/gpt-4o-mini']);
    expect(suggestedModels(models, 'claude')).toEqual([]);
  });

  it('are none beside the whole name of a model, and at most 50', () => {
    expect(suggestedModels(models, 'openai/gpt-4o')).toEqual([]);
    const many = Array.from({ length: 60 }, (_, index) => ({ id: `demo/${index}`, set_up: true }));
    expect(suggestedModels(many, 'demo/')).toHaveLength(50);
  });
});

describe('The form of a route', () => {
  it('has the fields of each target, as far as they are set', async () => {
    const shown = await formOf(
      routeOfAcme({
        strategy: 'weight',
        targets: [
          { model: 'openai/gpt-4o-mini', weight: 95 },
          { model: 'demo/demo-1', weight: 5, parameters: { temperature: 0 }, first_event_seconds: 2.5 },
        ],
        attempts: 2,
      }),
    );
    const target = all(shown, 'fieldset[aria-label=Target 2]')[0];
    if (target === undefined) throw new Error('There is no second target');
    expect(texts(target, 'label')).toEqual([
      'Model',
      'Weight',
      'Parameters',
      'Seconds until the first event of a stream',
    ]);
    expect(texts(target, 'textarea')).toEqual(['{\n  "temperature": 0\n}']);
    expect(all(shown, '[aria-label=Target 1]').flatMap((first) => texts(first, 'label'))).toEqual([
      'Model',
      'Weight',
    ]);
  });

  it('says what moves and removes a target, unless there is but one', async () => {
    const shown = await formOf(routeOfAcme());
    expect(names(shown, 'button')).toEqual([
      'Move target 1, openai/gpt-4o-mini, up',
      'Move target 1, openai/gpt-4o-mini, down',
      'Remove target 1, openai/gpt-4o-mini',
      'Override parameters',
      'Set a time-out',
      'Move target 2, anthropic/claude-haiku-4-5, up',
      'Move target 2, anthropic/claude-haiku-4-5, down',
      'Remove target 2, anthropic/claude-haiku-4-5',
      'Override parameters',
      'Set a time-out',
      'Add target',
      'Cancel',
      'Change route',
    ]);
    expect(names(shown, '[aria-disabled=true]')).toEqual([
      'Move target 1, openai/gpt-4o-mini, up',
      'Move target 2, anthropic/claude-haiku-4-5, down',
    ]);
    expect(names(await formOf(null), 'button')).toEqual([
      'Override parameters',
      'Set a time-out',
      'Add target',
      'Cancel',
      'Set route',
    ]);
  });

  it('adds no target beyond the bound', async () => {
    const targets = Array.from({ length: 10 }, (_, index) => ({ model: `demo/demo-${index}` }));
    expect(names(await formOf(routeOfAcme({ targets })), 'button')).not.toContain('Add target');
  });

  it('has the names of the API for its fields, where errors are shown', () => {
    expect(targetFieldNames(1)).toEqual({
      model: 'targets[1].model',
      weight: 'targets[1].weight',
      parameters: 'targets[1].parameters',
      firstEventSeconds: 'targets[1].first_event_seconds',
    });
  });

  it('shows an error about a whole target at its model, and about all weights at the first', () => {
    const paramOf = (param: string | null) => {
      const error = atField(new ApiError('Refused', 400, param));
      return error instanceof ApiError ? error.param : undefined;
    };
    expect(['targets[12]', 'targets[1].weight', 'targets', 'name', null].map(paramOf)).toEqual([
      'targets[12].model',
      'targets[1].weight',
      'targets[0].weight',
      'name',
      null,
    ]);
    const other = new Error('Try again later');
    expect([atField(other), atField(null)]).toEqual([other, null]);
  });
});
