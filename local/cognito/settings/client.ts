/** The settings of an app client. https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cognito-userpoolclient.html */
import { daySeconds, hourSeconds } from '#lambdas/platform/duration.ts';
import { LocalGatewayError } from '#local/local-gateway-error.ts';
import {
  asList,
  asObject,
  asString,
  type JsonObject,
  numberOr,
  optionalString,
} from '#local/untyped-json.ts';
import type { ResolvedResource } from './resolved-resource.ts';

export interface ClientSettings {
  id: string;
  name: string;
  hasSecret: boolean;
  callbackUrls: string[];
  logoutUrls: string[];
  scopes: string[];
  /** Whether managed login issues authorization codes. The implicit flow is not emulated. */
  authorizationCodes: boolean;
  refreshTokens: boolean;
  /** Such as `ALLOW_USER_AUTH`. */
  authFlows: string[];
  /** `COGNITO` stands for accounts of the pool itself. */
  identityProviders: string[];
  accessTokenSeconds: number;
  idTokenSeconds: number;
  refreshTokenSeconds: number;
  /** How long a rotated refresh token is still accepted; `null` without rotation. */
  rotationGraceSeconds: number | null;
  revocation: boolean;
  hidesUserExistence: boolean;
}

const unitSeconds: Record<string, number> = { seconds: 1, minutes: 60, hours: hourSeconds, days: daySeconds };

/** Throws when the client names a provider that the pool does not have. */
export function readClient(
  { logicalId, ref, properties }: ResolvedResource,
  identityProviderNames: readonly string[],
): ClientSettings {
  const strings = (name: string) =>
    asList(properties[name]).map((value) => asString(value, `${logicalId}.${name}`));
  const authFlows = strings('ExplicitAuthFlows');
  const rotation = asObject(properties.RefreshTokenRotation ?? {}, `${logicalId}.RefreshTokenRotation`);
  const rotates = rotation.Feature === 'ENABLED';
  const identityProviders = strings('SupportedIdentityProviders');
  const unknown = identityProviders.find((name) => !identityProviderNames.includes(name));
  if (unknown !== undefined) {
    throw new LocalGatewayError(
      `${logicalId}.SupportedIdentityProviders has ${unknown}: name COGNITO or an identity provider of the pool`,
    );
  }
  return {
    id: ref,
    name: optionalString(properties.ClientName, `${logicalId}.ClientName`) ?? logicalId,
    hasSecret: properties.GenerateSecret === true,
    callbackUrls: strings('CallbackURLs'),
    logoutUrls: strings('LogoutURLs'),
    scopes: strings('AllowedOAuthScopes'),
    authorizationCodes:
      properties.AllowedOAuthFlowsUserPoolClient === true && strings('AllowedOAuthFlows').includes('code'),
    refreshTokens: rotates || authFlows.length === 0 || authFlows.includes('ALLOW_REFRESH_TOKEN_AUTH'),
    authFlows,
    identityProviders,
    ...readTokenLifetimes(properties, logicalId),
    rotationGraceSeconds: rotates
      ? numberOr(0, rotation.RetryGracePeriodSeconds, `${logicalId}.RetryGracePeriodSeconds`)
      : null,
    revocation: properties.EnableTokenRevocation !== false,
    hidesUserExistence: properties.PreventUserExistenceErrors === 'ENABLED',
  };
}

function readTokenLifetimes(properties: JsonObject, logicalId: string) {
  const units = asObject(properties.TokenValidityUnits ?? {}, `${logicalId}.TokenValidityUnits`);
  const seconds = (token: string, defaultUnit: string, defaultValue: number) => {
    const value = numberOr(0, properties[`${token}Validity`], `${logicalId}.${token}Validity`);
    const unit = optionalString(units[token], `${logicalId}.TokenValidityUnits.${token}`) ?? defaultUnit;
    return (value || defaultValue) * (unitSeconds[value === 0 ? defaultUnit : unit] ?? 1);
  };
  return {
    accessTokenSeconds: seconds('AccessToken', 'hours', 1),
    idTokenSeconds: seconds('IdToken', 'hours', 1),
    refreshTokenSeconds: seconds('RefreshToken', 'days', 30),
  };
}
