/** The stores of a gateway, local or deployed: the commands do not see which. */

import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient, type SecretsManagerClientConfig } from '@aws-sdk/client-secrets-manager';
import type { Directory } from '../../lambdas/shared/domain/directory.ts';
import { createDirectoryStore } from '../../lambdas/shared/stores/directory-store.ts';
import { createDocumentClient } from '../../lambdas/shared/stores/document-client.ts';
import { createProviderSecret, type ProviderSecret } from '../../lambdas/shared/stores/provider-secret.ts';
import { AdminError } from './admin-error.ts';

export interface GatewayConnection {
  directory: Directory;
  providerSecret: ProviderSecret;
}

interface ConnectionOptions {
  /** The stack's outputs by name. */
  outputs: Readonly<Record<string, string>>;
  /** What the outputs are of, for messages: `the stack "AiGateway"`. */
  source: string;
  dynamodb: DynamoDBClientConfig;
  secretsManager: SecretsManagerClientConfig;
}

export function openGateway(options: ConnectionOptions): GatewayConnection {
  const tableName = outputOf(options, 'DirectoryTableName');
  const secretId = outputOf(options, 'ProviderSecretArn');
  return {
    directory: createDirectoryStore({
      client: createDocumentClient(new DynamoDBClient(options.dynamodb)),
      tableName,
    }),
    providerSecret: createProviderSecret({
      client: new SecretsManagerClient(options.secretsManager),
      secretId,
    }),
  };
}

function outputOf({ outputs, source }: ConnectionOptions, name: string): string {
  const value = outputs[name];
  if (value !== undefined) return value;
  throw new AdminError(`${source} has no output "${name}": is it a gateway, and of this version?`);
}
