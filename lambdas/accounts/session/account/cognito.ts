/** Creates what the session function uses of Cognito. */
import {
  CognitoIdentityProviderClient,
  type CognitoIdentityProviderClientConfig,
  DescribeUserPoolClientCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { type ClientSecret, createClientSecret } from '../sign-in/client-secret.ts';
import { createCognitoUserApi } from './cognito-user-api.ts';
import type { UserApi } from './user-api.ts';

/** By default the SDK waits forever. A renewal may need two calls within the function's timeout of 29 seconds. */
const clientConfig = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
} as const satisfies CognitoIdentityProviderClientConfig;

export interface UserPoolClient {
  userPoolId: string;
  clientId: string;
}

export interface Cognito {
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
