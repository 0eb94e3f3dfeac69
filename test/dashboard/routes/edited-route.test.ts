import { describe, expect, it } from 'vitest';
import {
  checkAttempts,
  checkFirstEventSeconds,
  checkModel,
  checkName,
  checkParameters,
  checkWeight,
  editableRoute,
  moved,
  newTarget,
  routeOf,
} from '#dashboard/routes/editor/edited-route.ts';
import type { Route, RouteTarget } from '#lambdas/routing/route.ts';
import { fc } from '#test/support/fast-check.ts';

describe('An edited route', () => {
  it('is what was stored, in the digits and separators of every country', () => {
    const fraction = (min: number, max: number) =>
      fc.integer({ min: min * 10, max: max * 10 }).map((tenths) => tenths / 10);
    const target: fc.Arbitrary<RouteTarget> = fc.record(
      {
        model: fc.constantFrom('openai/gpt-4o-mini', 'bedrock/eu.anthropic.claude', 'google/models/x'),
        weight: fraction(0, 1000),
        parameters: fc
          .dictionary(fc.constantFrom('temperature', 'reasoning'), fc.jsonValue({ maxDepth: 1 }), {
            minKeys: 1,
          })
          // Written and read as JSON.
          .map((value) => JSON.parse(JSON.stringify(value))),
        first_event_seconds: fraction(0.1, 884),
      },
      { requiredKeys: ['model'] },
    );
    const route = fc.record(
      {
        strategy: fc.constant('weight' as const),
        targets: fc.tuple(target, target, target),
        attempts: fc.integer({ min: 1, max: 10 }),
      },
      { requiredKeys: ['strategy', 'targets'] },
    );
    const country = fc.constantFrom('en-GB', 'de-DE', 'de-CH', 'fr-FR', 'hi-IN', 'ar-EG', 'pl-PL');
    fc.assert(
      fc.property(route, country, (stored: Route, locale) => {
        const body = JSON.parse(JSON.stringify(routeOf(editableRoute(stored, locale), locale)));
        expect(body).toEqual(stored);
      }),
    );
  });

  it('leaves out what is empty, and weights where they do not count', () => {
    const target = { ...newTarget(), model: ' openai/gpt-4o-mini ', weight: '3', parameters: '{}' };
    const edited = { strategy: 'price' as const, targets: [target], attempts: '' };
    expect(JSON.stringify(routeOf(edited))).toBe(
      '{"strategy":"price","targets":[{"model":"openai/gpt-4o-mini"}]}',
    );
    expect(routeOf({ ...edited, strategy: 'weight' })).toMatchObject({ targets: [{ weight: 3 }] });
  });

  it('begins with one empty target', () => {
    const { targets, ...rest } = editableRoute(null);
    expect(rest).toEqual({ strategy: 'order', attempts: '' });
    expect(targets).toEqual([{ ...newTarget(), id: targets[0]?.id }]);
  });
});

describe('A field of a route', () => {
  it.each([
    ['fast', null],
    [' gpt-5.6_eu ', null],
    ['taken', 'There is a route with this name'],
    ['', /^Enter 1 to 64/],
    ['Fast', /^Enter 1 to 64/],
    ['route/fast', /^Enter 1 to 64/],
    ['x'.repeat(65), /^Enter 1 to 64/],
  ])('with the name "%s" is refused: %s', (name, reason) => {
    const found = checkName(name, ['taken']);
    if (reason instanceof RegExp) expect(found).toMatch(reason);
    else expect(found).toBe(reason);
  });

  it.each([
    ['openai/gpt-4o-mini', true],
    ['google/models/gemini', true],
    ['gpt-4o-mini', false],
    ['openai/', false],
    ['route/other', false],
  ])('with the model %s is accepted: %s', (model, isAccepted) => {
    expect(checkModel(model) === null).toBe(isAccepted);
  });

  it('has the bounds of the API, and may be empty', () => {
    expect([checkWeight(''), checkWeight('0'), checkWeight('1,000', 'en')]).toEqual([null, null, null]);
    expect(checkWeight('1001', 'en')).toBe('Enter a number from 0 to 1,000, or nothing for 1');
    expect(checkWeight('-1', 'en')).not.toBeNull();
    expect([checkAttempts(''), checkAttempts('1'), checkAttempts('10')]).toEqual([null, null, null]);
    for (const text of ['0', '11', '1.5', 'two'])
      expect(checkAttempts(text, 'en')).toBe('Enter a number from 1 to 10, or nothing for 3');
    expect([checkFirstEventSeconds(''), checkFirstEventSeconds('0,1', 'de')]).toEqual([null, null]);
    expect(checkFirstEventSeconds('885', 'de')).toBe('Enter a number from 0,1 to 884, or nothing for 30');
  });

  it.each([
    ['', null],
    ['{ "temperature": 0 }', null],
    ['{', 'Enter a JSON object, such as {"temperature": 0}'],
    ['[1]', 'Enter a JSON object, such as {"temperature": 0}'],
    [JSON.stringify({ stop: 'x'.repeat(2037) }), null],
    [JSON.stringify({ stop: 'x'.repeat(2038) }), 'The parameters must have at most 2,048 bytes as JSON'],
  ])('with the parameters %j is refused: %s', (text, reason) => {
    expect(checkParameters(text)).toBe(reason);
  });
});

describe('Moving a target', () => {
  it('puts it at another place, and the others follow', () => {
    const list = ['a', 'b', 'c'];
    expect([moved(list, 0, 2), moved(list, 2, 0), moved(list, 1, 0)]).toEqual([
      ['b', 'c', 'a'],
      ['c', 'a', 'b'],
      ['b', 'a', 'c'],
    ]);
  });

  it('beyond the ends changes nothing', () => {
    const list = ['a', 'b'];
    expect([moved(list, 0, -1), moved(list, 1, 2), moved(list, 1, 1), moved(list, 5, 0)]).toEqual(
      Array(4).fill(list),
    );
    expect(moved(list, 0, -1)).toBe(list);
  });
});
