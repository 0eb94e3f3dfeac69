/** Reads a user from the claims of an ID token, and decides who may sign in. */

import { filterObjects, parseJson } from '#lambdas/platform/json/json.ts';
import { domainOf } from './email-address.ts';

export interface Identity {
  /** Cognito's `sub`, which never changes. */
  id: string;
  /** Verified, as the user or the company's identity provider spells it. */
  email: string;
  name: string | null;
  /** The name of the company's identity provider if the user signed in there. */
  identityProvider: string | null;
}

export type IdentityRefusal = 'email_not_verified' | 'company_sign_in_required' | 'company_domain_required';

export class IdentityRefusedError extends Error {
  readonly refusal: IdentityRefusal;

  constructor(refusal: IdentityRefusal) {
    super(`The identity is refused: ${refusal}`);
    this.name = 'IdentityRefusedError';
    this.refusal = refusal;
  }
}

export type Claims = Readonly<Record<string, unknown>>;

/**
 * Throws an `IdentityRefusedError`, and another error if the token has no `sub`. The claims must come from an ID token
 * whose signature was checked.
 */
export function identityOf(claims: Claims, provider: IdentityProvider | null): Identity {
  if (typeof claims.sub !== 'string' || claims.sub === '') throw new Error('The ID token has no subject');
  const email = typeof claims.email === 'string' ? claims.email : '';
  const federatedBy = federatingProviderOf(claims);
  const refusal =
    federatedBy === null
      ? refusalOfNativeUser({ email, isEmailVerified: isTrue(claims.email_verified) }, provider)
      : refusalOfFederatedUser({ email, federatedBy }, provider);
  if (refusal !== null) throw new IdentityRefusedError(refusal);
  return { id: claims.sub, email, name: nameOf(claims), identityProvider: federatedBy };
}

/** Applies to users who sign in at the user pool itself. */
export function refusalOfNativeUser(
  { email, isEmailVerified }: { email: string; isEmailVerified: boolean },
  provider: IdentityProvider | null,
): IdentityRefusal | null {
  if (isCompanyAddress(provider, email)) return 'company_sign_in_required';
  return isEmailVerified && email.includes('@') ? null : 'email_not_verified';
}

/** Cognito marks addresses that an identity provider maps as unverified: the company vouches for those of its domains. */
function refusalOfFederatedUser(
  { email, federatedBy }: { email: string; federatedBy: string },
  provider: IdentityProvider | null,
): IdentityRefusal | null {
  const isOfCompany = provider?.name === federatedBy && isCompanyAddress(provider, email);
  return isOfCompany ? null : 'company_domain_required';
}

/** Returns `null` for a user of the pool itself. `identities` is an array in ID tokens, and JSON text in other places. */
function federatingProviderOf({ identities }: Claims): string | null {
  const list = typeof identities === 'string' ? parseJson(identities) : identities;
  if (identities === undefined || (Array.isArray(list) && list.length === 0)) return null;
  const [first] = filterObjects(list);
  // An unreadable claim must not make a federated user a native one: no provider has an empty name.
  return typeof first?.providerName === 'string' ? first.providerName : '';
}

function nameOf({ name }: Claims): string | null {
  return typeof name === 'string' && name.trim() !== '' ? name.trim() : null;
}

/** Cognito writes attributes as text in some places: https://docs.aws.amazon.com/cognito/latest/developerguide/userinfo-endpoint.html */
function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}

/** The company's identity provider, through which addresses of its domains must sign in. */
export interface IdentityProvider {
  /** The name of the provider in the user pool, which people also read. */
  name: string;
  /** At least one, in ASCII. */
  domains: readonly string[];
}

export function isCompanyAddress(provider: IdentityProvider | null, address: string): boolean {
  return provider?.domains.includes(domainOf(address)) ?? false;
}

export function companySignInMessage(provider: IdentityProvider): string {
  return `Use the company sign-in (${provider.name}) for this address`;
}
