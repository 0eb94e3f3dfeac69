import {
  CognitoIdentityProviderClient,
  type CognitoIdentityProviderClientConfig,
  DeleteUserPoolCommand,
  DeleteUserPoolDomainCommand,
  DescribeUserPoolCommand,
  ListUsersCommand,
  UpdateUserPoolCommand,
  type UserPoolType,
} from '@aws-sdk/client-cognito-identity-provider';
import { nullIfMissing } from '#cli/connection/aws-errors.ts';
import type { ResourceKind } from './kind.ts';

export function createUserPoolKind(config: CognitoIdentityProviderClientConfig): ResourceKind {
  const client = new CognitoIdentityProviderClient(config);

  async function describe(UserPoolId: string): Promise<UserPoolType | undefined> {
    const call = client.send(new DescribeUserPoolCommand({ UserPoolId }));
    return (await nullIfMissing(call, /^ResourceNotFoundException$/))?.UserPool;
  }

  return {
    name: 'user pool',
    exists: async (id) => (await describe(id)) !== undefined,
    async findData(UserPoolId) {
      const { Users = [] } = await client.send(new ListUsersCommand({ UserPoolId, Limit: 1 }));
      return Users.length > 0 ? 'has users' : null;
    },
    async remove(UserPoolId) {
      const pool = await describe(UserPoolId);
      if (pool?.DeletionProtection === 'ACTIVE') {
        // Resets the other settings of the pool, which has no users.
        await client.send(new UpdateUserPoolCommand({ UserPoolId, DeletionProtection: 'INACTIVE' }));
      }
      // Cognito does not delete a pool with a domain.
      for (const Domain of [pool?.Domain, pool?.CustomDomain]) {
        if (Domain) await client.send(new DeleteUserPoolDomainCommand({ UserPoolId, Domain }));
      }
      await client.send(new DeleteUserPoolCommand({ UserPoolId }));
    },
  };
}
