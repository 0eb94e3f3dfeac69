import {
  AssociateSoftwareTokenCommand,
  type CognitoIdentityProviderClient,
  DeleteUserCommand,
  DeleteWebAuthnCredentialCommand,
  GetUserCommand,
  GlobalSignOutCommand,
  ListWebAuthnCredentialsCommand,
  SetUserMFAPreferenceCommand,
  type SetUserMFAPreferenceCommandInput,
  UpdateUserAttributesCommand,
  VerifySoftwareTokenCommand,
  VerifyUserAttributeCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import type { Passkey, UserApi } from './user-api.ts';
import { toUserApiError, wrongCode } from './user-api-errors.ts';

/** Cognito's constants for the factors of a user. */
const totpMethod = 'SOFTWARE_TOKEN_MFA';
const passkeyMethod = 'WEB_AUTHN_MFA';

const totpOn = { Enabled: true, PreferredMfa: true };

/** Only these operations: all of them take an access token in the body, and no permission of the function. */
export function createCognitoUserApi(client: CognitoIdentityProviderClient): UserApi {
  return {
    async readProfile(AccessToken) {
      const user = await call(client.send(new GetUserCommand({ AccessToken })));
      const factors = user.UserMFASettingList ?? [];
      const attribute = (name: string) => user.UserAttributes?.find(({ Name }) => Name === name)?.Value;
      return {
        email: (attribute('email') ?? '').toLowerCase(),
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
      if (Status !== 'SUCCESS') throw wrongCode();
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
