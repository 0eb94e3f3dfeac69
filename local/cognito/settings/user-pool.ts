/** The settings of the template's user pool. https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cognito-userpool.html */
import { LocalGatewayError } from '#local/local-gateway-error.ts';
import { assertSupportedProperties } from '#local/template/supported-properties.ts';
import {
  asList,
  asObject,
  asString,
  type JsonObject,
  numberOr,
  optionalString,
} from '#local/untyped-json.ts';
import { type ClientSettings, readClient } from './client.ts';
import { type IdentityProviderSettings, readIdentityProvider } from './identity-provider.ts';
import { type ResolvedResource, resolvedResourcesOfType, type TemplateSource } from './resolved-resource.ts';

export interface UserPoolSettings {
  id: string;
  arn: string;
  region: string;
  mfa: 'OFF' | 'OPTIONAL' | 'ON';
  passkeys: PasskeySettings | null;
  password: PasswordPolicy;
  selfSignUp: boolean;
  /** A changed address counts only after it has been verified; until then, the old one does. */
  verifiesEmailBeforeUpdate: boolean;
  /** `{####}` in the text stands for the code. */
  codeMail: { subject: string; text: string };
  /** ARNs of functions. */
  triggers: { preSignUp: string | undefined; preAuthentication: string | undefined };
  clients: ClientSettings[];
  identityProviders: IdentityProviderSettings[];
}

interface PasskeySettings {
  /** A passkey counts as two factors, for users who prefer that. */
  satisfiesMfa: boolean;
}

export interface PasswordPolicy {
  minLength: number;
  lowercase: boolean;
  uppercase: boolean;
  numbers: boolean;
  symbols: boolean;
}

/** Returns `null` when the template has no user pool. */
export function readUserPoolSettings(stack: TemplateSource): UserPoolSettings | null {
  const pools = resolvedResourcesOfType(stack, 'AWS::Cognito::UserPool');
  const [pool] = pools;
  if (pool === undefined) return null;
  if (pools.length > 1)
    throw new LocalGatewayError('The local run supports one user pool; the stack has more');
  const identityProviders = resolvedResourcesOfType(stack, 'AWS::Cognito::UserPoolIdentityProvider').map(
    readIdentityProvider,
  );
  const names = ['COGNITO', ...identityProviders.map(({ name }) => name)];
  return {
    ...readPool(stack, pool),
    identityProviders,
    clients: resolvedResourcesOfType(stack, 'AWS::Cognito::UserPoolClient').map((client) =>
      readClient(client, names),
    ),
  };
}

function readPool(
  stack: TemplateSource,
  { logicalId, ref, properties: pool }: ResolvedResource,
): Omit<UserPoolSettings, 'clients' | 'identityProviders'> {
  const section = (name: string) => asObject(pool[name] ?? {}, `${logicalId}.${name}`);
  const triggers = section('LambdaConfig');
  assertSupportedProperties(triggers, ['PreAuthentication', 'PreSignUp'], `${logicalId}.LambdaConfig`);
  const arn = asString(stack.resolve({ 'Fn::GetAtt': [logicalId, 'Arn'] }), `${logicalId}.Arn`);
  return {
    id: ref,
    arn,
    region: arn.split(':')[3] ?? '',
    mfa: readMfa(pool, logicalId),
    passkeys: readPasskeys(stack, pool, section('Policies')),
    password: readPasswordPolicy(
      asObject(section('Policies').PasswordPolicy ?? {}, `${logicalId}.Policies.PasswordPolicy`),
    ),
    selfSignUp: section('AdminCreateUserConfig').AllowAdminCreateUserOnly !== true,
    verifiesEmailBeforeUpdate: asList(
      section('UserAttributeUpdateSettings').AttributesRequireVerificationBeforeUpdate,
    ).includes('email'),
    codeMail: readCodeMail(pool, section('VerificationMessageTemplate')),
    triggers: {
      preSignUp: optionalString(triggers.PreSignUp, `${logicalId}.PreSignUp`),
      preAuthentication: optionalString(triggers.PreAuthentication, `${logicalId}.PreAuthentication`),
    },
  };
}

function readMfa(pool: JsonObject, logicalId: string): UserPoolSettings['mfa'] {
  const { MfaConfiguration: mfa = 'OFF' } = pool;
  if (mfa === 'OFF') return mfa;
  if (mfa !== 'OPTIONAL' && mfa !== 'ON') {
    throw new LocalGatewayError(`${logicalId}.MfaConfiguration must be OFF, OPTIONAL or ON`);
  }
  if (asList(pool.EnabledMfas).includes('SOFTWARE_TOKEN_MFA')) return mfa;
  throw new LocalGatewayError(
    `${logicalId}.EnabledMfas must include SOFTWARE_TOKEN_MFA, the only method that the local run emulates`,
  );
}

/** Passkeys need managed login: the older hosted UI has none. */
function readPasskeys(stack: TemplateSource, pool: JsonObject, policies: JsonObject): PasskeySettings | null {
  const signIn = asObject(policies.SignInPolicy ?? {}, 'SignInPolicy');
  const managedLogin = resolvedResourcesOfType(stack, 'AWS::Cognito::UserPoolDomain').some(
    ({ properties }) => numberOr(1, properties.ManagedLoginVersion, 'ManagedLoginVersion') === 2,
  );
  if (!managedLogin || !asList(signIn.AllowedFirstAuthFactors).includes('WEB_AUTHN')) return null;
  return { satisfiesMfa: pool.WebAuthnFactorConfiguration === 'MULTI_FACTOR_WITH_USER_VERIFICATION' };
}

function readPasswordPolicy(policy: JsonObject): PasswordPolicy {
  return {
    minLength: numberOr(8, policy.MinimumLength, 'MinimumLength'),
    lowercase: policy.RequireLowercase === true,
    uppercase: policy.RequireUppercase === true,
    numbers: policy.RequireNumbers === true,
    symbols: policy.RequireSymbols === true,
  };
}

function readCodeMail(pool: JsonObject, template: JsonObject): UserPoolSettings['codeMail'] {
  const subject = template.EmailSubject ?? pool.EmailVerificationSubject;
  const text = template.EmailMessage ?? pool.EmailVerificationMessage;
  return {
    subject: optionalString(subject, 'EmailSubject') ?? 'Your verification code',
    text: optionalString(text, 'EmailMessage') ?? 'Your confirmation code is {####}',
  };
}
