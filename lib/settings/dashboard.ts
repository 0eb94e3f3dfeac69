/** The schemas of the settings of the dashboard and its sign-in. */

import { z } from 'zod';
import { domain, emailAddress, emailAddressOrDomain } from './domains.ts';
import { identityProviderSchema } from './identity-provider.ts';
import { type Issues, maxJsonBytes, messageWithInput, trueOrFalse } from './validation.ts';

/**
 * The settings of an identity provider with the maximum number of domains use 2.2 KB of the environment of the session
 * function, and its other variables 0.6 KB.
 */
const maxCreatorsBytes = 1_100;

const organizationCreators = z
  .array(
    emailAddressOrDomain(),
    messageWithInput('must be an array of e-mail addresses and domains, such as ["acme.example"]'),
  )
  .check(maxJsonBytes(maxCreatorsBytes));

export const dashboardFields = {
  dashboard: trueOrFalse()
    .default(true)
    .describe('Deploys the dashboard with its sign-in. false leaves out all of it.'),
  dashboardDomain: domain()
    .nullable()
    .default(null)
    .describe(
      "Domain of the dashboard, whose DNS record you create. Requires dashboardCertificateArn. null uses CloudFront's.",
    ),
  dashboardCertificateArn: z
    .string(
      messageWithInput(
        'must be the ARN of a certificate in us-east-1, such as arn:aws:acm:us-east-1:123456789012:certificate/ID',
      ),
    )
    // CloudFront uses certificates of this region only, wherever the stack is.
    .regex(/^arn:aws:acm:us-east-1:\d{12}:certificate\/[\w-]+$/)
    .nullable()
    .default(null)
    .describe('ARN of the certificate of dashboardDomain, in us-east-1.'),
  organizationCreators: organizationCreators
    .default([])
    .describe(
      'E-mail addresses, and domains of addresses, that may sign up without an invitation and create organizations.',
    ),
  signUp: z
    .enum(['invited', 'open'], messageWithInput("must be 'invited' or 'open'"))
    .default('invited')
    .describe("Who may sign up: 'invited' for invited people and organizationCreators, 'open' for anybody."),
  mailFrom: emailAddress()
    .nullable()
    .default(null)
    .describe(
      'Sender of e-mails, whose domain is verified in SES in the region of the stack. With null, Cognito sends its codes, about 50 a day, and nobody gets e-mails about invitations and budgets.',
    ),
  requireMfa: trueOrFalse()
    .default(false)
    .describe('Requires an authenticator app of everybody. A passkey may then replace password and code.'),
  identityProvider: identityProviderSchema
    .nullable()
    .default(null)
    .describe('OIDC or SAML identity provider through which your company signs in. null for none.'),
};

/** A custom domain works only with its certificate. */
export function checkDashboardDomain(
  settings: { dashboardDomain: string | null; dashboardCertificateArn: string | null },
  { addIssue }: Issues,
): void {
  const { dashboardDomain, dashboardCertificateArn } = settings;
  if ((dashboardDomain === null) === (dashboardCertificateArn === null)) return;
  const [missing, given] =
    dashboardDomain === null
      ? ['dashboardDomain', 'dashboardCertificateArn']
      : ['dashboardCertificateArn', 'dashboardDomain'];
  addIssue({ code: 'custom', path: [missing], message: `is required with ${given}` });
}
