/** The schema of the setting `identityProvider`: how a company's OIDC or SAML provider is reached. */

import { z } from 'zod';
import { domain } from './domains.ts';
import { classifyHost } from './host-kind.ts';
import { messageWithInput, settingsObject } from './validation.ts';

interface CompanyProvider {
  name: string;
  domains: string[];
}

export interface OidcProviderSettings extends CompanyProvider {
  issuer: string;
  clientId: string;
  clientSecretName: string;
}

export interface SamlProviderSettings extends CompanyProvider {
  samlMetadataUrl: string;
}

export type IdentityProviderSettings = OidcProviderSettings | SamlProviderSettings;

/** Cognito refuses these names for OIDC and SAML providers, since they denote itself and its social providers. */
const reservedNames = ['COGNITO', 'Facebook', 'Google', 'LoginWithAmazon', 'SignInWithApple'].map((name) =>
  name.toLowerCase(),
);

/** The limits of `IdpIdentifiers`: https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_CreateIdentityProvider.html */
const maxDomains = 50;
const maxDomainLength = 40;

/** Plain HTTP is for a provider on the same machine as a local gateway. */
function webAddress(example: string) {
  return z
    .string(messageWithInput(`must be an https URL without a query or fragment, such as ${example}`))
    .refine((text) => {
      const url = URL.parse(text);
      if (url === null || /[?#\s]/.test(text) || url.username !== '' || url.password !== '') return false;
      return (
        url.protocol === 'https:' || (url.protocol === 'http:' && classifyHost(url.hostname) === 'loopback')
      );
    });
}

const fields = settingsObject({
  name: z
    .string(messageWithInput('must be 3 to 32 letters, digits, dots and hyphens, such as Acme'))
    .regex(/^[A-Za-z\d][A-Za-z\d.-]{1,30}[A-Za-z\d]$/)
    .refine((name) => !reservedNames.includes(name.toLowerCase()), 'must not be a name that Cognito reserves')
    .describe('Name on the sign-in page. A change makes new users of its users.'),
  domains: z
    .array(
      domain().max(
        maxDomainLength,
        messageWithInput(`must have at most ${maxDomainLength} characters, which Cognito requires`),
      ),
      messageWithInput(`must be an array of 1 to ${maxDomains} domains, such as ["acme.example"]`),
    )
    .min(1)
    .max(maxDomains)
    .describe(
      `Domains of e-mail addresses that must use the provider, of at most ${maxDomainLength} characters.`,
    ),
  issuer: webAddress('https://login.acme.example').optional().describe('Issuer of an OIDC provider.'),
  clientId: z
    .string(messageWithInput('must be the client id that the provider has assigned'))
    .regex(/^[!-~]{1,500}$/)
    .optional()
    .describe('Client id at the OIDC provider.'),
  clientSecretName: z
    .string(messageWithInput('must be the name of a secret in Secrets Manager, such as gateway/oidc'))
    .regex(/^[\w/+=.@-]{1,512}$/)
    .optional()
    .describe(
      'Name of the secret in Secrets Manager, in the region of the stack, whose whole string is the client secret.',
    ),
  samlMetadataUrl: z
    .string(messageWithInput('must be an https URL, such as https://login.acme.example/saml/metadata'))
    .refine((text) => URL.parse(text)?.protocol === 'https:')
    .optional()
    .describe('URL of the metadata of a SAML provider.'),
});

export const identityProviderSchema = fields.transform((settings, { addIssue }): IdentityProviderSettings => {
  const { name, domains, issuer, clientId, clientSecretName, samlMetadataUrl } = settings;
  const refuse = (path: string, message: string) => addIssue({ code: 'custom', path: [path], message });
  const oidc = { issuer, clientId, clientSecretName };
  if (samlMetadataUrl !== undefined) {
    for (const [field, value] of Object.entries(oidc)) {
      if (value !== undefined) refuse(field, 'cannot be combined with samlMetadataUrl: choose OIDC or SAML');
    }
    return { name, domains, samlMetadataUrl };
  }
  if (issuer !== undefined && clientId !== undefined && clientSecretName !== undefined) {
    return { name, domains, issuer, clientId, clientSecretName };
  }
  for (const [field, value] of Object.entries(oidc)) {
    if (value === undefined)
      refuse(field, 'is required: set issuer, clientId and clientSecretName, or samlMetadataUrl');
  }
  return z.NEVER;
});
