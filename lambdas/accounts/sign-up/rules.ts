/** Decides who may sign up, and which accounts may sign in with a password or a passkey of the user pool. */
import { asciiDomain, domainOf, isSameAddress } from '../email-address.ts';
import { companySignInMessage, type IdentityProvider, isCompanyAddress } from '../identity.ts';

export interface SignUpSettings {
  signUp: 'open' | 'invited';
  /** Addresses and domains that may sign up without an invitation, and create organizations. `*` stands for all. */
  organizationCreators: readonly string[];
  identityProvider: IdentityProvider | null;
}

export interface Refusal {
  code: 'company_sign_in_required' | 'company_domain_required' | 'not_invited';
  /** For the person who signs up, without a full stop: Cognito adds it. */
  message: string;
}

/** Whether an organization has a pending invitation for the address. */
export type IsInvited = (email: string) => Promise<boolean>;

/** Looks for invitations only if the settings do not decide. */
export async function refusalOfSignUp(
  email: string,
  settings: SignUpSettings,
  isInvited: IsInvited,
): Promise<Refusal | null> {
  const companySignIn = refusalOfPasswordSignIn(email, settings);
  if (companySignIn !== null) return companySignIn;
  if (settings.signUp === 'open' || isOrganizationCreator(email, settings)) return null;
  if (await isInvited(email)) return null;
  return {
    code: 'not_invited',
    message: 'This address is not invited: ask the administrator of this gateway to allow it',
  };
}

export function refusalOfFederatedSignUp(
  email: string,
  { identityProvider }: SignUpSettings,
): Refusal | null {
  if (isCompanyAddress(identityProvider, email)) return null;
  const domains = identityProvider?.domains.join(', ') ?? 'none';
  return {
    code: 'company_domain_required',
    message: `The company sign-in is only for addresses of these domains: ${domains}`,
  };
}

/** Applies to everyone who authenticates at the user pool itself, not at the company. */
export function refusalOfPasswordSignIn(
  email: string,
  { identityProvider }: Pick<SignUpSettings, 'identityProvider'>,
): Refusal | null {
  if (identityProvider === null || !isCompanyAddress(identityProvider, email)) return null;
  return { code: 'company_sign_in_required', message: companySignInMessage(identityProvider) };
}

export function isOrganizationCreator(
  email: string,
  { organizationCreators }: Pick<SignUpSettings, 'organizationCreators'>,
): boolean {
  return organizationCreators.some((creator) => {
    // In the local run, everyone may.
    if (creator === '*') return true;
    return creator.includes('@') ? isSameAddress(creator, email) : asciiDomain(creator) === domainOf(email);
  });
}
