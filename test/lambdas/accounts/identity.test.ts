import { describe, expect, it } from 'vitest';
import { type Claims, IdentityRefusedError, identityOf } from '#lambdas/accounts/identity.ts';

const acme = { name: 'Acme', domains: ['acme.example', 'acme.test', 'xn--mller-kva.example'] };
const native = { sub: 'user-1', email: 'Ada@Example.com', email_verified: true, name: ' Ada ' };
const federated = {
  sub: 'user-2',
  email: 'Grace@ACME.test',
  email_verified: false,
  identities: [{ userId: '7', providerName: 'Acme', providerType: 'OIDC' }],
};

function refusalOf(claims: Claims, provider: typeof acme | null = acme): string | null {
  try {
    identityOf(claims, provider);
    return null;
  } catch (error) {
    if (error instanceof IdentityRefusedError) return error.refusal;
    throw error;
  }
}

describe('Users of the pool', () => {
  it('have their address as they spell it, and their name without surrounding spaces', () => {
    const identity = { id: 'user-1', email: 'Ada@Example.com', name: 'Ada', identityProvider: null };
    expect(identityOf(native, acme)).toEqual(identity);
    expect(identityOf({ ...native, email_verified: 'true', identities: [] }, null)).toEqual(identity);
  });

  it.each([undefined, '', '  ', 7])('have no name if the claim is %j', (name) => {
    expect(identityOf({ ...native, name }, null).name).toBeNull();
  });

  it.each([false, 'false', undefined, 1, 'TRUE'])('are refused if email_verified is %j', (email_verified) => {
    expect(refusalOf({ ...native, email_verified })).toBe('email_not_verified');
  });

  it.each([undefined, '', 'ada', 7])('are refused if the address is %j', (email) => {
    expect(refusalOf({ ...native, email })).toBe('email_not_verified');
  });

  it.each([
    'eve@acme.example',
    'EVE@Acme.Test',
    'eve@example.com@acme.test',
    'eve@acme.example.',
    'eve@\uff41cme.example',
    'eve@acme。example',
    'eve@Müller.example',
  ])('are refused with the company address %s', (email) => {
    expect(refusalOf({ ...native, email })).toBe('company_sign_in_required');
    expect(refusalOf({ ...native, email }, null)).toBeNull();
  });

  it.each(['eve@sub.acme.example', 'eve@notacme.example', 'acme.example@example.com'])(
    'are accepted with %s, which is not an address of the company',
    (email) => {
      expect(refusalOf({ ...native, email })).toBeNull();
    },
  );
});

describe('Users of the company', () => {
  const identity = { id: 'user-2', email: 'Grace@ACME.test', name: null, identityProvider: 'Acme' };

  it.each([
    ['an array', federated.identities],
    ['JSON text', JSON.stringify(federated.identities)],
  ])('count as verified, with the claim identities as %s', (_case, identities) => {
    expect(identityOf({ ...federated, identities }, acme)).toEqual(identity);
  });

  it.each(['grace@example.com', 'grace@sub.acme.test', '', undefined])(
    'are refused with the address %j',
    (email) => {
      expect(refusalOf({ ...federated, email })).toBe('company_domain_required');
      expect(refusalOf({ ...federated, email, email_verified: true })).toBe('company_domain_required');
    },
  );

  it.each([
    ['another provider', [{ providerName: 'Other' }]],
    ['no readable provider', 'not JSON'],
    ['an object', { providerName: 'Acme' }],
    ['null', null],
  ])('are refused if identities has %s', (_case, identities) => {
    expect(refusalOf({ ...federated, email_verified: true, identities })).toBe('company_domain_required');
  });

  it('are refused when the setting of the company sign-in was removed', () => {
    expect(refusalOf(federated, null)).toBe('company_domain_required');
  });
});

it.each([undefined, '', 7])('rejects a token whose subject is %j', (sub) => {
  expect(() => identityOf({ ...native, sub }, null)).toThrow('The ID token has no subject');
});
