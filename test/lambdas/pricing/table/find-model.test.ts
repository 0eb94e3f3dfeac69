import { describe, expect, it } from 'vitest';
import { findModel } from '#lambdas/pricing/table/find-model.ts';
import { entryAt } from '#lambdas/pricing/table/price-table.ts';
import { fc } from '#test/support/fast-check.ts';
import {
  type FoundPrices,
  findPackagePrices,
  namesToTry,
  ownModels,
  packageProviders,
} from './package-prices.ts';

const day = new Date('2026-11-20T12:00:00Z');

function found(provider: string, name: string, at: Date): FoundPrices | null {
  const model = findModel(provider, name)?.model;
  return model === undefined ? null : { id: model[0], prices: entryAt(model[1], at).prices };
}

/** The prices that the table should have: those of the package, except for the models of our own rows. */
function expectedPrices(provider: string, name: string, at: Date): FoundPrices | null {
  const own = found(provider, name, at);
  const expected = findPackagePrices(provider, name, at);
  if (own === null || !ownModels.has(own.id)) return expected;
  const isReplaced = expected?.id === own.id;
  return isReplaced || findModel(provider, name)?.isExact ? own : expected;
}

describe.each(packageProviders.map((provider) => [provider.id, provider] as const))(
  'findModel for %s',
  (id, provider) => {
    it('finds the same models as the package, or our own, for all names that match or nearly match', () => {
      const ids = new Set<string>();
      for (const name of namesToTry(provider)) {
        const expected = expectedPrices(id, name, day);
        expect([name, found(id, name, day)]).toEqual([name, expected]);
        if (expected !== null) ids.add(expected.id);
      }
      expect(ids.size).toBeGreaterThan(provider.models.length * 0.9);
    });

    it('finds the same models as the package, or our own, for random names', () => {
      const parts = new Set(provider.models.flatMap((model) => model.id.split(/(?=[-./:])/)));
      const name = fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 6 });
      fc.assert(
        fc.property(name, (chosen) => {
          const text = chosen.join('');
          expect(found(id, text, day)).toEqual(expectedPrices(id, text, day));
        }),
        { seed: 1, numRuns: 200 },
      );
    });
  },
);

describe('Price schedules', () => {
  const scheduled = packageProviders.flatMap(({ id, models }) =>
    models.filter(({ prices }) => Array.isArray(prices)).map((model) => [id, model] as const),
  );

  it.each(scheduled.map(([provider, model]) => [provider, model.id, model] as const))(
    'returns the same prices of %s/%s as the package before and after every change',
    (provider, id, { prices }) => {
      const moments = (Array.isArray(prices) ? prices : []).flatMap(({ constraint }) => {
        if (constraint === undefined) return [];
        return constraint.type === 'start_date'
          ? [constraint.start_date]
          : ['2025-01-31', '2026-08-16', '2026-08-17', '2027-03-01'].flatMap((date) => [
              `${date}T${constraint.start_time}`,
              `${date}T${constraint.end_time}`,
            ]);
      });
      const times = moments.flatMap((moment) => {
        const time = Date.parse(moment);
        return [time - 1000, time - 1, time, time + 1, time + 3_600_000].map((at) => new Date(at));
      });

      expect(times.length).toBeGreaterThan(0);
      for (const at of times) {
        expect([at, found(provider, id, at)]).toEqual([at, expectedPrices(provider, id, at)]);
      }
    },
  );

  it('includes more than 20 models with scheduled prices', () => {
    expect(scheduled.length).toBeGreaterThan(20);
  });
});

it('finds no model of an unknown provider', () => {
  const names = ['', 'nvidia', 'OpenAI', ' openai', 'my-openai-proxy', 'constructor', '__proto__'];
  expect(names.map((name) => findModel(name, 'gpt-4o'))).toEqual(names.map(() => null));
});
