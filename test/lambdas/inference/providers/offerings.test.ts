import { describe, expect, it } from 'vitest';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { offerings } from '#lambdas/inference/providers/offerings.ts';

describe('offerings', () => {
  it('names every built-in provider that needs a credential, so that is not the operator’s own server', () => {
    const companies = Object.entries(providerCatalog).filter(
      ([, { credential }]) => credential !== 'optional',
    );

    expect([...offerings.keys()]).toEqual(companies.map(([name]) => name));
  });
});
