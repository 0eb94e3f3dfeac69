import { describe, expect, it } from 'vitest';
import { readRoute, requireRouteName } from '#lambdas/routing/read-route.ts';
import { fc } from '#test/support/fast-check.ts';
import { anyRoute } from './routes.ts';

const target = { model: 'openai/gpt-5.6' };
const route = { strategy: 'order', targets: [target] };

describe('readRoute', () => {
  it('keeps every field as it is, with the order of parameters', () => {
    fc.assert(
      fc.property(anyRoute, (any) => {
        expect(JSON.stringify(readRoute(JSON.parse(JSON.stringify(any))))).toBe(JSON.stringify(any));
      }),
    );
  });

  it('fills nothing in', () => {
    expect(readRoute(route)).toEqual({ strategy: 'order', targets: [{ model: 'openai/gpt-5.6' }] });
  });

  it.each<[string, unknown, string]>([
    ['route', [], 'route must be a JSON object'],
    ['name', { ...route, name: 'fast' }, 'name is not a field of a route: use strategy, targets, attempts'],
    ['strategy', { targets: [target] }, 'strategy must be one of order, weight, price'],
    ['strategy', { ...route, strategy: 'random' }, 'strategy must be one of order, weight, price'],
    ['attempts', { ...route, attempts: 0 }, 'attempts must be a whole number from 1 to 10'],
    ['attempts', { ...route, attempts: 1.5 }, 'attempts must be a whole number from 1 to 10'],
    ['attempts', { ...route, attempts: null }, 'attempts must be a whole number from 1 to 10'],
    ['targets', { strategy: 'order' }, 'targets must be a list of 1 to 10 targets'],
    ['targets', { ...route, targets: [] }, 'targets must be a list of 1 to 10 targets'],
    [
      'targets',
      { ...route, targets: Array.from({ length: 11 }, (_, index) => ({ model: `openai/${index}` })) },
      'targets must be a list of 1 to 10 targets',
    ],
  ])('refuses a route with an invalid %s', (param, value, message) => {
    expect(() => readRoute(value)).toThrow(expect.objectContaining({ status: 400, param, message }));
  });

  const modelForm = 'must have the form <provider>/<model>, with at most 256 characters';
  it.each<[string, unknown, string]>([
    ['targets[1]', 'openai/gpt-5.6', 'targets[1] must be a JSON object'],
    [
      'targets[1].timeout',
      { ...target, timeout: 3 },
      'targets[1].timeout is not a field of a route: use model, weight, parameters, first_event_seconds',
    ],
    ['targets[1].model', {}, `targets[1].model ${modelForm}`],
    ['targets[1].model', { model: 'gpt-5.6' }, `targets[1].model ${modelForm}`],
    ['targets[1].model', { model: '/gpt-5.6' }, `targets[1].model ${modelForm}`],
    ['targets[1].model', { model: 'openai/' }, `targets[1].model ${modelForm}`],
    ['targets[1].model', { model: 'openai/a\nb' }, `targets[1].model ${modelForm}`],
    ['targets[1].model', { model: `openai/${'a'.repeat(250)}` }, `targets[1].model ${modelForm}`],
    [
      'targets[1].model',
      { model: 'route/fast' },
      'targets[1].model must not be a route: name the models that it leads to instead',
    ],
    [
      'targets[1].weight',
      { model: 'openai/a', weight: 1 },
      'targets[1].weight has a meaning only with the strategy weight: leave it out',
    ],
    [
      'targets[1].first_event_seconds',
      { model: 'openai/a', first_event_seconds: 0 },
      'targets[1].first_event_seconds must be a number from 0.1 to 884',
    ],
    [
      'targets[1].parameters',
      { model: 'openai/a', parameters: [] },
      'targets[1].parameters must be a JSON object',
    ],
    [
      'targets[1].parameters',
      { model: 'openai/a', parameters: { temperature: 0, n: 2 } },
      'targets[1].parameters must not have n, which the request alone decides',
    ],
    [
      'targets[1].parameters',
      { model: 'openai/a', parameters: { user: 'é'.repeat(1019) } },
      'targets[1].parameters must have at most 2048 bytes as JSON',
    ],
    [
      'targets[1].parameters',
      { model: 'openai/a', parameters: { deep: JSON.parse('['.repeat(50) + ']'.repeat(50)) } },
      'targets[1].parameters must not be nested deeper than 50 levels',
    ],
    [
      'targets[1]',
      { ...target, parameters: {}, first_event_seconds: 5 },
      'targets[1] has the same model and parameters as targets[0]: each target must differ',
    ],
  ])('refuses a target with an invalid %s', (param, second, message) => {
    const value = { strategy: 'order', targets: [target, second] };

    expect(() => readRoute(value)).toThrow(expect.objectContaining({ status: 400, param, message }));
  });

  it('accepts the largest parameters', () => {
    const parameters = { user: 'é'.repeat(1018) };

    expect(readRoute({ ...route, targets: [{ ...target, parameters }] }).targets).toEqual([
      { ...target, parameters },
    ]);
  });

  it('tells targets apart by their parameters, whatever the order of these is', () => {
    const weighted = (parameters: object) => ({ ...target, weight: 1, parameters });
    const read = (...parameters: object[]) =>
      readRoute({ strategy: 'weight', targets: parameters.map(weighted) }).targets.length;

    expect(read({ temperature: 0, top_p: 1 }, { temperature: 1, top_p: 1 })).toBe(2);
    expect(() => read({ temperature: 0, top_p: 1 }, { top_p: 1, temperature: 0 })).toThrow(
      'targets[1] has the same model and parameters as targets[0]',
    );
  });

  it.each([-1, 0.0009, 1001, '1', null])('refuses the weight %j', (weight) => {
    const value = { strategy: 'weight', targets: [{ ...target, weight }] };
    const message = 'targets[0].weight must be 0, or a number from 0.001 to 1000';

    expect(() => readRoute(value)).toThrow(expect.objectContaining({ param: 'targets[0].weight', message }));
  });

  it('refuses targets whose weights are all 0, but not one that has the default', () => {
    const none = { strategy: 'weight', targets: [{ ...target, weight: 0 }] };
    const one = { strategy: 'weight', targets: [{ ...target, weight: 0 }, { model: 'openai/a' }] };

    expect(() => readRoute(none)).toThrow('targets must have one with a weight of more than 0');
    expect(readRoute(one)).toEqual(one);
  });
});

describe('requireRouteName', () => {
  it.each(['a', 'fast', '4o-mini', 'claude_4.5-eu', 'a'.repeat(64)])('accepts %s', (name) => {
    expect(requireRouteName(name)).toBeUndefined();
  });

  it.each(['', 'Fast', '.fast', '-', '__proto__', 'a/b', 'a'.repeat(65)])('refuses %j', (name) => {
    expect(() => requireRouteName(name)).toThrow(
      'name must have 1 to 64 characters: a to z, 0 to 9, and, but not first, dots, hyphens and underscores',
    );
  });
});
