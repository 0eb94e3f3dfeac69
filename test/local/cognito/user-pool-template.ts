/** A template with a user pool as the stack describes it. */

type Properties = Record<string, unknown>;

export interface TemplateOptions {
  pool?: Properties;
  client?: Properties;
  /** Issuer of the company's identity provider. */
  companyIssuer?: string;
}

export const clientId = 'Client';
export const triggerArns = {
  PreSignUp: 'arn:aws:lambda:us-east-1:000000000000:function:sign-up',
  PreAuthentication: 'arn:aws:lambda:us-east-1:000000000000:function:sign-in',
};
export const dashboard = {
  callback: 'http://127.0.0.1:3002/dashboard/api/callback',
  security: 'http://127.0.0.1:3002/account/security',
  home: 'http://127.0.0.1:3002/',
};

export function createUserPoolTemplate({ pool, client, companyIssuer }: TemplateOptions) {
  return {
    Resources: {
      Pool: { Type: 'AWS::Cognito::UserPool', Properties: { ...poolProperties, ...pool } },
      Domain: {
        Type: 'AWS::Cognito::UserPoolDomain',
        Properties: { Domain: 'gateway', ManagedLoginVersion: 2, UserPoolId: { Ref: 'Pool' } },
      },
      [clientId]: {
        Type: 'AWS::Cognito::UserPoolClient',
        Properties: {
          ...clientProperties,
          SupportedIdentityProviders: companyIssuer === undefined ? ['COGNITO'] : ['COGNITO', 'Acme'],
          ...client,
        },
      },
      ...(companyIssuer !== undefined && { Company: companyProvider(companyIssuer) }),
    },
  };
}

const poolProperties: Properties = {
  AdminCreateUserConfig: { AllowAdminCreateUserOnly: false },
  AutoVerifiedAttributes: ['email'],
  EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
  LambdaConfig: triggerArns,
  MfaConfiguration: 'OPTIONAL',
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
  UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ['email'] },
  UsernameAttributes: ['email'],
  VerificationMessageTemplate: {
    DefaultEmailOption: 'CONFIRM_WITH_CODE',
    EmailMessage: 'Your code is {####}.',
    EmailSubject: 'Your code',
  },
  WebAuthnFactorConfiguration: 'MULTI_FACTOR_WITH_USER_VERIFICATION',
  WebAuthnUserVerification: 'required',
};

const clientProperties: Properties = {
  AccessTokenValidity: 65,
  AllowedOAuthFlows: ['code'],
  AllowedOAuthFlowsUserPoolClient: true,
  AllowedOAuthScopes: ['openid', 'email', 'profile', 'aws.cognito.signin.user.admin'],
  CallbackURLs: [dashboard.callback, dashboard.security],
  EnableTokenRevocation: true,
  ExplicitAuthFlows: ['ALLOW_USER_AUTH'],
  GenerateSecret: true,
  IdTokenValidity: 65,
  LogoutURLs: [dashboard.home],
  PreventUserExistenceErrors: 'ENABLED',
  RefreshTokenRotation: { Feature: 'ENABLED', RetryGracePeriodSeconds: 60 },
  RefreshTokenValidity: 720,
  TokenValidityUnits: { AccessToken: 'minutes', IdToken: 'minutes', RefreshToken: 'minutes' },
  UserPoolId: { Ref: 'Pool' },
};

function companyProvider(issuer: string) {
  return {
    Type: 'AWS::Cognito::UserPoolIdentityProvider',
    Properties: {
      AttributeMapping: { email: 'email', name: 'name' },
      IdpIdentifiers: ['acme.example'],
      ProviderDetails: {
        attributes_request_method: 'GET',
        authorize_scopes: 'openid email profile',
        client_id: 'gateway',
        client_secret: '{{resolve:secretsmanager:company-client-secret}}',
        oidc_issuer: issuer,
      },
      ProviderName: 'Acme',
      ProviderType: 'OIDC',
      UserPoolId: { Ref: 'Pool' },
    },
  };
}
