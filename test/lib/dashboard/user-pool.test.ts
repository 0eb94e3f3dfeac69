import { describe, expect, it } from 'vitest';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway();
const company = { name: 'Acme', domains: ['acme.example', 'acme.test'] };
const withMfaAndOidc = synthesizeGateway({
  requireMfa: true,
  mailFrom: 'Gateway@mail.acme.example',
  signUp: 'open',
  organizationCreators: ['eve@Partner.example', 'acme.example'],
  identityProvider: {
    ...company,
    issuer: 'https://login.acme.example',
    clientId: 'gateway',
    clientSecretName: 'gateway/oidc',
  },
});
const withSaml = synthesizeGateway({
  identityProvider: { ...company, samlMetadataUrl: 'https://login.acme.example/metadata' },
});

describe('User pool', () => {
  const pool = gateway.resource('Dashboard/UserPool');

  it('is retained and protected against deletion', () => {
    expect(pool).toMatchObject({
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: { DeletionProtection: 'ACTIVE', UserPoolTier: 'ESSENTIALS' },
    });
  });

  it('signs in by e-mail address, which counts only when it is verified', () => {
    expect(pool.Properties).toMatchObject({
      UsernameAttributes: ['email'],
      UsernameConfiguration: { CaseSensitive: false },
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: false },
      AutoVerifiedAttributes: ['email'],
      UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ['email'] },
      AccountRecoverySetting: { RecoveryMechanisms: [{ Name: 'verified_email', Priority: 1 }] },
      EmailConfiguration: { EmailSendingAccount: 'COGNITO_DEFAULT' },
      Schema: [
        { Name: 'email', Required: true, Mutable: true },
        { Name: 'name', Required: false, Mutable: true },
      ],
    });
    expect(pool.Properties).not.toHaveProperty('AliasAttributes');
  });

  it('accepts long passwords, and passkeys with user verification as two factors', () => {
    expect(pool.Properties).toMatchObject({
      Policies: {
        PasswordPolicy: {
          MinimumLength: 12,
          RequireLowercase: true,
          RequireNumbers: true,
          RequireSymbols: true,
          RequireUppercase: true,
        },
        SignInPolicy: { AllowedFirstAuthFactors: ['PASSWORD', 'WEB_AUTHN'] },
      },
      WebAuthnUserVerification: 'required',
      WebAuthnFactorConfiguration: 'MULTI_FACTOR_WITH_USER_VERIFICATION',
      EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
      MfaConfiguration: 'OPTIONAL',
    });
  });

  it('requires MFA and sends from the verified domain with the settings requireMfa and mailFrom', () => {
    const { MfaConfiguration, EmailConfiguration } = withMfaAndOidc.resource('Dashboard/UserPool').Properties;

    expect(MfaConfiguration).toBe('ON');
    expect(gateway.readableValues(EmailConfiguration)).toEqual({
      EmailSendingAccount: 'DEVELOPER',
      From: 'gateway@mail.acme.example',
      SourceArn: 'arn:AWS::Partition:ses:AWS::Region:AWS::AccountId:identity/mail.acme.example',
    });
  });

  it('asks the sign-up function before a sign-up and a sign-in, and nobody else may call it', () => {
    const { LambdaConfig } = pool.Properties;
    const permissions = gateway
      .ofType('AWS::Lambda::Permission')
      .map(({ resource }) => gateway.readableValues(resource.Properties))
      .filter(({ FunctionName }) => FunctionName === 'Dashboard/SignUp.Arn');

    expect(gateway.readableValues(LambdaConfig)).toEqual({
      PreSignUp: 'Dashboard/SignUp.Arn',
      PreAuthentication: 'Dashboard/SignUp.Arn',
    });
    expect(permissions).toEqual(
      Array(2).fill({
        Action: 'lambda:InvokeFunction',
        FunctionName: 'Dashboard/SignUp.Arn',
        Principal: 'cognito-idp.amazonaws.com',
        SourceArn: 'Dashboard/UserPool.Arn',
      }),
    );
    // Cognito waits no longer than this.
    expect(gateway.resource('Dashboard/SignUp').Properties.Timeout).toBe(5);
  });

  it('passes the rules to the functions, with domains and addresses in lower case', () => {
    const variablesOf = (path: string) => withMfaAndOidc.resource(path).Properties.Environment;
    const IDENTITY_PROVIDER = JSON.stringify(company);

    expect(variablesOf('Dashboard/SignUp')).toMatchObject({
      Variables: {
        SIGN_UP: 'open',
        ORGANIZATION_CREATORS: '["eve@partner.example","acme.example"]',
        IDENTITY_PROVIDER,
      },
    });
    expect(variablesOf('Dashboard/Session')).toMatchObject({
      Variables: { SIGN_UP: 'open', REQUIRE_MFA: 'true', IDENTITY_PROVIDER },
    });
  });
});

describe('Managed login', () => {
  it('has a domain from the id of the stack and a branding, without which it shows no pages', () => {
    const { Domain, ManagedLoginVersion } = gateway.resource('Dashboard/UserPool/Domain').Properties;

    expect(gateway.readable(Domain)).toBe(
      'ai-gateway-part 0 of (part 2 of (AWS::StackId split at /) split at -)',
    );
    expect(ManagedLoginVersion).toBe(2);
    expect(gateway.readableValues(gateway.resource('Dashboard/Client/Branding').Properties)).toEqual({
      ClientId: 'Dashboard/Client',
      UseCognitoProvidedValues: 'true',
      UserPoolId: 'Dashboard/UserPool',
    });
  });
});

describe('Client', () => {
  it('is confidential, and allows the code flow with rotating refresh tokens alone', () => {
    const { CallbackURLs, LogoutURLs, UserPoolId, ...properties } =
      gateway.resource('Dashboard/Client').Properties;

    expect(properties).toEqual({
      GenerateSecret: true,
      ExplicitAuthFlows: ['ALLOW_USER_AUTH'],
      AllowedOAuthFlows: ['code'],
      AllowedOAuthFlowsUserPoolClient: true,
      AllowedOAuthScopes: ['openid', 'email', 'profile', 'aws.cognito.signin.user.admin'],
      SupportedIdentityProviders: ['COGNITO'],
      RefreshTokenRotation: { Feature: 'ENABLED', RetryGracePeriodSeconds: 60 },
      AccessTokenValidity: 65,
      AuthSessionValidity: 15,
      IdTokenValidity: 65,
      RefreshTokenValidity: 720,
      TokenValidityUnits: { AccessToken: 'minutes', IdToken: 'minutes', RefreshToken: 'minutes' },
      EnableTokenRevocation: true,
      PreventUserExistenceErrors: 'ENABLED',
    });
    expect(gateway.readable(CallbackURLs)).toBe(
      'https://Dashboard/Site/Distribution.DomainName/dashboard/api/callback, https://Dashboard/Site/Distribution.DomainName/account/security',
    );
    expect(gateway.readable(LogoutURLs)).toBe('https://Dashboard/Site/Distribution.DomainName/');
    expect(gateway.readable(UserPoolId)).toBe('Dashboard/UserPool');
  });
});

describe('Company sign-in', () => {
  it('federates an OIDC provider, whose secret is not in the template', () => {
    const { UserPoolId: _, ...properties } = withMfaAndOidc.resource(
      'Dashboard/CompanySignIn/Provider',
    ).Properties;

    expect(properties).toEqual({
      ProviderName: 'Acme',
      ProviderType: 'OIDC',
      IdpIdentifiers: company.domains,
      AttributeMapping: { email: 'email', name: 'name' },
      ProviderDetails: {
        attributes_request_method: 'GET',
        authorize_scopes: 'openid email profile',
        client_id: 'gateway',
        client_secret: '{{resolve:secretsmanager:gateway/oidc:SecretString:::}}',
        oidc_issuer: 'https://login.acme.example',
      },
    });
  });

  it('federates a SAML provider', () => {
    const { UserPoolId: _, ...properties } = withSaml.resource('Dashboard/CompanySignIn/Provider').Properties;

    expect(properties).toEqual({
      ProviderName: 'Acme',
      ProviderType: 'SAML',
      IdpIdentifiers: company.domains,
      AttributeMapping: {
        email: 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
        name: 'http://schemas.microsoft.com/identity/claims/displayname',
      },
      ProviderDetails: { IDPSignout: false, MetadataURL: 'https://login.acme.example/metadata' },
    });
  });

  it.each([
    [withMfaAndOidc, 'Dashboard/CompanySignIn/Provider'],
    [withSaml, 'Dashboard/CompanySignIn/Provider'],
  ])(
    'is created before the client, which supports both it and the pool itself',
    ({ resource, readable }, path) => {
      const { Properties, DependsOn } = resource('Dashboard/Client');

      expect(Properties.SupportedIdentityProviders).toEqual(['COGNITO', 'Acme']);
      expect(DependsOn?.map((Ref) => readable({ Ref }))).toEqual([path]);
    },
  );
});
