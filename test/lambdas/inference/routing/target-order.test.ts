import { describe, expect, it } from 'vitest';
import { orderTargets } from '#lambdas/inference/routing/target-order.ts';
import type { RouteTarget } from '#lambdas/routing/route.ts';
import { fc } from '#test/support/fast-check.ts';

const sessions = Array.from({ length: 20_000 }, (_, index) => `session-${index}`);

function firstOf(targets: [RouteTarget, ...RouteTarget[]], sessionId: string): string | undefined {
  return orderTargets({ strategy: 'weight', targets }, { sessionId, random: () => 0 })[0]?.model;
}

describe('The order of targets', () => {
  it('distributes sessions in proportion to the weights', () => {
    const targets: [RouteTarget, ...RouteTarget[]] = [
      { model: 'a/1', weight: 90 },
      { model: 'b/1', weight: 10 },
      { model: 'c/1', weight: 0 },
    ];
    const counts = Map.groupBy(sessions, (session) => firstOf(targets, session));
    expect([...counts.keys()].sort()).toEqual(['a/1', 'b/1']);
    // Five standard deviations.
    expect(Math.abs((counts.get('b/1')?.length ?? 0) - 2000)).toBeLessThan(215);
  });

  it('moves no session to another of the former targets when one is added', () => {
    const former: [RouteTarget, ...RouteTarget[]] = [{ model: 'a/1', weight: 2 }, { model: 'b/1' }];
    const added: [RouteTarget, ...RouteTarget[]] = [{ model: 'new/1' }, ...former];
    const moved = sessions.filter((session) => firstOf(former, session) !== firstOf(added, session));
    expect(new Set(moved.map((session) => firstOf(added, session)))).toEqual(new Set(['new/1']));
    expect(Math.abs(moved.length - sessions.length / 4)).toBeLessThan(310);
  });

  it('has each target once, and the list in its order after the first one', () => {
    const weights = fc.array(fc.nat(3), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        weights,
        fc.option(fc.string()),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (given, sessionId, random) => {
          const [first, ...others] = given.map((weight, index) => ({ model: `provider/${index}`, weight }));
          if (first === undefined) return;
          const targets = [first, ...others] as const;
          const ordered = orderTargets({ strategy: 'weight', targets }, { sessionId, random: () => random });
          const [chosen, ...following] = ordered;
          expect(following).toEqual(targets.filter((target) => target !== chosen));
          expect(chosen?.weight === 0).toBe(given.every((weight) => weight === 0));
        },
      ),
    );
  });

  it('is that of the costs, with those without a price last', () => {
    const targets = [{ model: 'a/1' }, { model: 'b/1' }, { model: 'c/1' }, { model: 'd/1' }] as const;
    const request = { sessionId: null, random: () => 0, costsUsd: [null, 2, 1, 1] };
    const models = orderTargets({ strategy: 'price', targets }, request).map(({ model }) => model);
    expect(models).toEqual(['c/1', 'd/1', 'b/1', 'a/1']);
  });
});
