/** Creates what the function `Session` uses of Cognito. */

import {
  AssociateSoftwareTokenCommand,
  CognitoIdentityProviderClient,
  type CognitoIdentityProviderClientConfig,
  DeleteUserCommand,
  DeleteWebAuthnCredentialCommand,
  DescribeUserPoolClientCommand,
  GetUserCommand,
  GlobalSignOutCommand,
  ListWebAuthnCredentialsCommand,
  SetUserMFAPreferenceCommand,
  type SetUserMFAPreferenceCommandInput,
  UpdateUserAttributesCommand,
  VerifySoftwareTokenCommand,
  VerifyUserAttributeCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { SessionEndedError, UserDeletedError } from '#lambdas/accounts/sessions/active-session.ts';
import { GatewayError, invalidRequestError } from '#lambdas/platform/errors.ts';
import { type ClientSecret, createClientSecret } from '../client-secret.ts';
import type { Passkey, UserApi } from './user-api.ts';

/** By default the SDK waits forever. A renewal may need two calls within the function's timeout of 29 seconds. */
const clientConfig = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
} as const satisfies CognitoIdentityProviderClientConfig;

interface UserPoolClient {
  userPoolId: string;
  clientId: string;
}

interface Cognito {
  clientSecret: ClientSecret;
  userApi: UserApi;
}

/** Tests set another endpoint. */
export function createCognito(
  { userPoolId: UserPoolId, clientId: ClientId }: UserPoolClient,
  options: CognitoIdentityProviderClientConfig = {},
): Cognito {
  const client = new CognitoIdentityProviderClient({ ...clientConfig, ...options });
  const readSecret = async () => {
    const { UserPoolClient } = await client.send(new DescribeUserPoolClientCommand({ UserPoolId, ClientId }));
    if (UserPoolClient?.ClientSecret === undefined) throw new Error('The user pool client has no secret');
    return UserPoolClient.ClientSecret;
  };
  return { clientSecret: createClientSecret(readSecret), userApi: createCognitoUserApi(client) };
}

/** Cognito's constants for the factors of a user. */
const totpMethod = 'SOFTWARE_TOKEN_MFA';
const passkeyMethod = 'WEB_AUTHN_MFA';

const totpOn = { Enabled: true, PreferredMfa: true };

/** Only these operations: all of them take an access token in the body, and no permission of the function. */
function createCognitoUserApi(client: CognitoIdentityProviderClient): UserApi {
  return {
    async readProfile(AccessToken) {
      const user = await call(client.send(new GetUserCommand({ AccessToken })));
      const factors = user.UserMFASettingList ?? [];
      const attribute = (name: string) => user.UserAttributes?.find(({ Name }) => Name === name)?.Value;
      return {
        email: attribute('email') ?? '',
        name: attribute('name') || null,
        isEmailVerified: attribute('email_verified') === 'true',
        isTotpEnabled: factors.includes(totpMethod),
        isPasskeyMfaEnabled: factors.includes(passkeyMethod),
      };
    },

    async changeName(AccessToken, name) {
      const UserAttributes = [{ Name: 'name', Value: name }];
      await call(client.send(new UpdateUserAttributesCommand({ AccessToken, UserAttributes })), 'name');
    },

    async changeEmail(AccessToken, email) {
      const UserAttributes = [{ Name: 'email', Value: email }];
      await call(client.send(new UpdateUserAttributesCommand({ AccessToken, UserAttributes })), 'email');
    },

    async verifyEmail(AccessToken, Code) {
      const input = { AccessToken, AttributeName: 'email', Code };
      await call(client.send(new VerifyUserAttributeCommand(input)), 'code');
    },

    async listPasskeys(AccessToken) {
      const passkeys: Passkey[] = [];
      let NextToken: string | undefined;
      do {
        const page = await call(client.send(new ListWebAuthnCredentialsCommand({ AccessToken, NextToken })));
        for (const { CredentialId = '', FriendlyCredentialName = '', CreatedAt } of page.Credentials ?? []) {
          const createdAt = (CreatedAt ?? new Date(0)).toISOString();
          passkeys.push({ id: CredentialId, name: FriendlyCredentialName, createdAt });
        }
        NextToken = page.NextToken;
      } while (NextToken !== undefined);
      return passkeys;
    },

    async deletePasskey(AccessToken, CredentialId) {
      await call(client.send(new DeleteWebAuthnCredentialCommand({ AccessToken, CredentialId })), 'id');
    },

    async createTotpSecret(AccessToken) {
      const { SecretCode } = await call(client.send(new AssociateSoftwareTokenCommand({ AccessToken })));
      if (SecretCode === undefined) throw new Error('Cognito returned no secret');
      return SecretCode;
    },

    async enableTotp(AccessToken, UserCode) {
      const { Status } = await call(
        client.send(new VerifySoftwareTokenCommand({ AccessToken, UserCode })),
        'code',
      );
      if (Status !== 'SUCCESS') throw wrongCodeError();
      await setFactors(client, { AccessToken, SoftwareTokenMfaSettings: totpOn });
    },

    disableTotp: (AccessToken) =>
      setFactors(client, {
        AccessToken,
        SoftwareTokenMfaSettings: { Enabled: false, PreferredMfa: false },
        WebAuthnMfaSettings: { Enabled: false },
      }),

    setPasskeyMfa: (AccessToken, Enabled) =>
      setFactors(client, {
        AccessToken,
        WebAuthnMfaSettings: { Enabled },
        // Cognito requires another factor in the same call, also if the user has it already.
        ...(Enabled && { SoftwareTokenMfaSettings: totpOn }),
      }),

    async signOutEverywhere(AccessToken) {
      await call(client.send(new GlobalSignOutCommand({ AccessToken })));
    },

    async deleteUser(AccessToken) {
      await call(client.send(new DeleteUserCommand({ AccessToken })));
    },
  };
}

async function setFactors(
  client: CognitoIdentityProviderClient,
  input: SetUserMFAPreferenceCommandInput,
): Promise<void> {
  await call(client.send(new SetUserMFAPreferenceCommand(input)));
}

async function call<Output>(response: Promise<Output>, param: string | null = null): Promise<Output> {
  try {
    return await response;
  } catch (error) {
    throw toUserApiError(error, param);
  }
}

/**
 * Turns Cognito's errors into those of the dashboard's API. Their messages are not passed on, since they may quote input.
 * `param` is the body field that the operation sends. Returns other errors, such as failures of Cognito, unchanged.
 */
function toUserApiError(error: unknown, param: string | null): unknown {
  if (!(error instanceof Error)) return error;
  switch (error.name) {
    case 'UserNotFoundException':
      return new UserDeletedError();
    // The token was revoked, or the user was disabled or has to choose a new password.
    case 'NotAuthorizedException':
    case 'UserNotConfirmedException':
    case 'PasswordResetRequiredException':
      return new SessionEndedError();
    case 'CodeMismatchException':
    case 'EnableSoftwareTokenMFAException':
      return wrongCodeError();
    case 'ExpiredCodeException':
      return invalidRequestError('code', 'The code has expired: request a new one');
    case 'SoftwareTokenMFANotFoundException':
      return invalidRequestError(
        'code',
        'There is no secret for this code: set up the authenticator app again',
      );
    case 'AliasExistsException':
      return invalidRequestError('email', 'Another account has this address');
    case 'InvalidParameterException':
      return param === null ? error : invalidRequestError(param, `${param} is not valid`);
    case 'ResourceNotFoundException':
      return new GatewayError('not_found', { message: 'There is no such passkey' });
    case 'LimitExceededException':
    case 'TooManyRequestsException':
      return new GatewayError('rate_limit_exceeded', { message: 'Too many attempts: try again later' });
    case 'CodeDeliveryFailureException':
      return new GatewayError('service_unavailable', {
        message: 'The code could not be sent: try again later',
      });
    default:
      return error;
  }
}

function wrongCodeError(): GatewayError {
  return invalidRequestError('code', 'The code is wrong: enter the current one');
}
