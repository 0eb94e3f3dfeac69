/** Entry of the models function. */
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { parseProviderSettings } from '../shared/domain/provider-settings.ts';
import { readEnvironment } from '../shared/environment.ts';
import { asGatewayError } from '../shared/http/error-response.ts';
import { createJsonEndpoint } from '../shared/http/json-endpoint.ts';
import { createModelsEndpoint } from '../shared/models-endpoint.ts';
import { createCredentialSource } from '../shared/providers/credential-source.ts';
import { createReportClients, reportClientSettings } from '../shared/report-clients.ts';
import { createProviderSecret } from '../shared/stores/provider-secret.ts';

const environment = readEnvironment('DIRECTORY_TABLE', 'PROVIDER_SECRET_ARN', 'PROVIDERS', 'AWS_REGION');
const { authenticate } = createReportClients(environment.DIRECTORY_TABLE);
const { read } = createProviderSecret({
  client: new SecretsManagerClient(reportClientSettings),
  secretId: environment.PROVIDER_SECRET_ARN,
});
const now = () => new Date();

export const handler = createJsonEndpoint(
  authenticate,
  createModelsEndpoint({
    settings: parseProviderSettings(JSON.parse(environment.PROVIDERS)),
    credentials: createCredentialSource({ read, now, onFailure: asGatewayError }),
    region: environment.AWS_REGION,
    now,
  }),
);
