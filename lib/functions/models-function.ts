import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { DirectoryTable } from '../data/directory-table.ts';
import type { ProviderSecret } from '../data/provider-secret.ts';
import type { Settings } from '../settings.ts';
import { GatewayFunction } from './gateway-function.ts';

export interface ModelsFunctionProps {
  settings: Settings;
  directory: DirectoryTable;
  providerSecret: ProviderSecret;
}

/** Lists the models that can be asked for. It reads the secret to see which providers have a credential. */
export class ModelsFunction extends GatewayFunction {
  constructor(scope: Construct, id: string, { settings, directory, providerSecret }: ModelsFunctionProps) {
    super(scope, id, {
      entry: 'inference/models/models.lambda.ts',
      description: 'Lists the models of the configured providers',
      // As long as API Gateway waits for a whole answer.
      timeout: Duration.seconds(29),
      logRetention: settings.logRetentionDays,
    });
    this.addEnvironment('PROVIDERS', JSON.stringify(settings.providers));
    directory.grantFindApiKey(this);
    providerSecret.grantReadCredentials(this);
  }
}
