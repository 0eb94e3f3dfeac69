import { describe, expect, it } from 'vitest';
import { type GatewayConfig, parseSettings } from '#lib/settings/settings.ts';
import { SettingsError } from '#lib/settings/validation.ts';

const certificate = 'arn:aws:acm:us-east-1:123456789012:certificate/12345678-1234-1234-1234-123456789012';
const oidc = {
  name: 'Acme',
  domains: ['acme.example'],
  issuer: 'https://login.acme.example/',
  clientId: '0oa1b2c3',
  clientSecretName: 'gateway/oidc',
};
const saml = {
  name: 'Acme-SSO',
  domains: ['acme.example'],
  samlMetadataUrl: 'https://acme.example/saml?id=1',
};

describe('Settings of the dashboard', () => {
  it.each<GatewayConfig>([
    { dashboardDomain: 'gateway.acme.example', dashboardCertificateArn: certificate },
    { dashboardDomain: 'a-1.acme.example', dashboardCertificateArn: certificate },
    { organizationCreators: ['acme.example', "o'neil+gateway@mail.acme.co.uk"], signUp: 'open' },
    { mailFrom: 'gateway@acme.example', requireMfa: true },
    { identityProvider: oidc },
    { identityProvider: { ...oidc, issuer: 'http://127.0.0.1:9000' } },
    { identityProvider: saml },
  ])('accepts %j', (config) => {
    expect(parseSettings(config)).toMatchObject(config);
  });

  it('converts domains to their ASCII form, in settings and in addresses', () => {
    const settings = parseSettings({
      dashboardDomain: 'gateway.Müller.example',
      dashboardCertificateArn: certificate,
      organizationCreators: ['Eve+1@Müller.example', 'CAFÉ.example', 'xn--mller-kva.example'],
      mailFrom: 'Gateway@Müller.example',
      identityProvider: { ...saml, domains: ['müller.example', 'ß。example'] },
    });

    expect(settings).toMatchObject({
      dashboardDomain: 'gateway.xn--mller-kva.example',
      organizationCreators: ['eve+1@xn--mller-kva.example', 'xn--caf-dma.example', 'xn--mller-kva.example'],
      mailFrom: 'gateway@xn--mller-kva.example',
      identityProvider: { name: 'Acme-SSO', domains: ['xn--mller-kva.example', 'xn--zca.example'] },
    });
  });

  it('converts domains and addresses to lower case', () => {
    const settings = parseSettings({
      dashboardDomain: 'Gateway.Acme.example',
      dashboardCertificateArn: certificate,
      organizationCreators: ['Eve@Acme.example', 'PARTNER.example'],
      mailFrom: 'Gateway@Acme.example',
      identityProvider: { ...saml, domains: ['Acme.example'] },
    });

    expect(settings).toMatchObject({
      dashboardDomain: 'gateway.acme.example',
      organizationCreators: ['eve@acme.example', 'partner.example'],
      mailFrom: 'gateway@acme.example',
      identityProvider: { name: 'Acme-SSO', domains: ['acme.example'] },
    });
  });
});

const domainMessage = 'must be a domain, such as gateway.acme.example: got';
const certificateMessage =
  'dashboardCertificateArn must be the ARN of a certificate in us-east-1, such as arn:aws:acm:us-east-1:123456789012:certificate/ID: got';
const creatorMessage = 'must be an e-mail address or a domain, such as acme.example: got';
const mailFromMessage = 'mailFrom must be an e-mail address, such as gateway@acme.example: got';
const nameMessage =
  'identityProvider.name must be 3 to 32 letters, digits, dots and hyphens, such as Acme: got';
const issuerMessage =
  'identityProvider.issuer must be an https URL without a query or fragment, such as https://login.acme.example: got';
const domainsMessage =
  'identityProvider.domains must be an array of 1 to 50 domains, such as ["acme.example"]: got';

describe('Invalid settings of the dashboard', () => {
  it.each<[object, string]>([
    [{ dashboard: 'no' }, 'dashboard must be true or false: got "no"'],
    [{ requireMfa: 1 }, 'requireMfa must be true or false: got 1'],
    [{ signUp: 'all' }, `signUp must be 'invited' or 'open': got "all"`],
    [
      { dashboardDomain: 'https://gateway.acme.example', dashboardCertificateArn: certificate },
      `dashboardDomain ${domainMessage} "https://gateway.acme.example"`,
    ],
    [
      { dashboardDomain: 'localhost', dashboardCertificateArn: certificate },
      `dashboardDomain ${domainMessage} "localhost"`,
    ],
    [{ dashboardDomain: 'gateway.acme.example' }, 'dashboardCertificateArn is required with dashboardDomain'],
    [{ dashboardCertificateArn: certificate }, 'dashboardDomain is required with dashboardCertificateArn'],
    [
      {
        dashboardDomain: 'gateway.acme.example',
        dashboardCertificateArn: certificate.replace('us-east-1', 'eu-central-1'),
      },
      `${certificateMessage} "${certificate.replace('us-east-1', 'eu-central-1')}"`,
    ],
    [
      { organizationCreators: 'acme.example' },
      'organizationCreators must be an array of e-mail addresses and domains, such as ["acme.example"]: got "acme.example"',
    ],
    [
      { organizationCreators: ['@acme.example'] },
      `organizationCreators[0] ${creatorMessage} "@acme.example"`,
    ],
    [
      { organizationCreators: ['eve@a_b.example'] },
      `organizationCreators[0] ${creatorMessage} "eve@a_b.example"`,
    ],
    [
      { organizationCreators: ['m\u00fcller@acme.example'] },
      `organizationCreators[0] ${creatorMessage} "m\u00fcller@acme.example"`,
    ],
    [{ organizationCreators: ['eve', 'acme.example'] }, `organizationCreators[0] ${creatorMessage} "eve"`],
    [
      { organizationCreators: Array(40).fill(`${'a'.repeat(34)}@acme.example`) },
      'organizationCreators must not exceed 1100 bytes as JSON, because Lambda limits environment variables to 4 KB: got 2001',
    ],
    [{ mailFrom: 'acme.example' }, `${mailFromMessage} "acme.example"`],
    [{ mailFrom: 'Gateway <gateway@acme.example>' }, `${mailFromMessage} "Gateway <gateway@acme.example>"`],
    [{ identityProvider: 'Acme' }, 'identityProvider must be an object'],
    [{ identityProvider: { ...oidc, name: 'Acme Inc' } }, `${nameMessage} "Acme Inc"`],
    [
      { identityProvider: { ...oidc, name: 'Google' } },
      'identityProvider.name must not be a name that Cognito reserves',
    ],
    [{ identityProvider: { ...oidc, domains: [] } }, `${domainsMessage} []`],
    [
      { identityProvider: { ...oidc, domains: ['*.acme.example'] } },
      `identityProvider.domains[0] ${domainMessage} "*.acme.example"`,
    ],
    [
      { identityProvider: { ...oidc, domains: [`${'\u00fc'.repeat(20)}-with-umlauts.example`] } },
      'identityProvider.domains[0] must have at most 40 characters, which Cognito requires: got "xn---with-umlauts-vobaaaaaaaaaaaaaaaaaaa.example"',
    ],
    [
      { identityProvider: { ...oidc, domains: [`${'a'.repeat(33)}.example`] } },
      `identityProvider.domains[0] must have at most 40 characters, which Cognito requires: got "${'a'.repeat(33)}.example"`,
    ],
    [
      { identityProvider: { ...oidc, issuer: 'http://login.acme.example' } },
      `${issuerMessage} "http://login.acme.example"`,
    ],
    [
      { identityProvider: { ...oidc, issuer: 'https://login.acme.example?tenant=1' } },
      `${issuerMessage} "https://login.acme.example?tenant=1"`,
    ],
    [
      { identityProvider: { ...oidc, clientSecretName: 'arn:aws:secretsmanager:eu-central-1:1:secret:x' } },
      'identityProvider.clientSecretName must be the name of a secret in Secrets Manager, such as gateway/oidc: got "arn:aws:secretsmanager:eu-central-1:1:secret:x"',
    ],
    [
      { identityProvider: { ...oidc, clientSecretName: undefined } },
      'identityProvider.clientSecretName is required: set issuer, clientId and clientSecretName, or samlMetadataUrl',
    ],
    [
      { identityProvider: { ...saml, issuer: 'https://login.acme.example' } },
      'identityProvider.issuer cannot be combined with samlMetadataUrl: choose OIDC or SAML',
    ],
    [
      { identityProvider: { ...saml, samlMetadataUrl: 'http://acme.example/saml' } },
      'identityProvider.samlMetadataUrl must be an https URL, such as https://login.acme.example/saml/metadata: got "http://acme.example/saml"',
    ],
    [
      { identityProvider: { ...saml, clientSecret: 'x' } },
      'identityProvider.clientSecret is not a setting: valid settings are name, domains, issuer, clientId, clientSecretName, samlMetadataUrl',
    ],
  ])('reports %j in one line that names the setting', (config, message) => {
    expect(() => parseSettings(config)).toThrow(new SettingsError(message));
  });
});
