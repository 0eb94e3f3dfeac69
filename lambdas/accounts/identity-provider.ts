import { domainToASCII } from 'node:url';

/** The company's identity provider, through which addresses of its domains must sign in. */
export interface IdentityProvider {
  /** The name of the provider in the user pool, which people also read. */
  name: string;
  /** At least one, in lower case. */
  domains: readonly string[];
}

/** Returns the part after the last `@` as DNS spells it: in lower case and ASCII. Empty if there is none. */
export function domainOf(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1 || address.length).toLowerCase();
  return (domainToASCII(domain) || domain).replace(/\.$/, '');
}

export function isCompanyAddress(provider: IdentityProvider | null, address: string): boolean {
  return provider?.domains.includes(domainOf(address)) ?? false;
}

export function companySignInMessage(provider: IdentityProvider): string {
  return `Use the company sign-in (${provider.name}) for this address`;
}
