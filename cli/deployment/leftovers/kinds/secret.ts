import {
  DeleteSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  SecretsManagerClient,
  type SecretsManagerClientConfig,
} from '@aws-sdk/client-secrets-manager';
import { z } from 'zod';
import { nullIfMissing } from '#cli/connection/aws-errors.ts';
import { parseJson } from '#lambdas/platform/json/json.ts';
import type { ResourceKind } from './kind.ts';

/** The value with which the stack creates the secret of the providers. */
const initialValue = z.strictObject({});

/** The minimum that Secrets Manager allows. A credential that somebody stores meanwhile can be restored. */
const recoveryDays = 7;

export function createSecretKind(config: SecretsManagerClientConfig): ResourceKind {
  const client = new SecretsManagerClient(config);
  return {
    name: 'secret',
    async exists(SecretId) {
      const call = client.send(new DescribeSecretCommand({ SecretId }));
      const secret = await nullIfMissing(call, /^ResourceNotFoundException$/);
      return secret !== null && secret.DeletedDate === undefined;
    },
    async findData(SecretId) {
      const { SecretString = '' } = await client.send(new GetSecretValueCommand({ SecretId }));
      return initialValue.safeParse(parseJson(SecretString)).success ? null : 'has credentials';
    },
    async remove(SecretId) {
      await client.send(new DeleteSecretCommand({ SecretId, RecoveryWindowInDays: recoveryDays }));
    },
  };
}
