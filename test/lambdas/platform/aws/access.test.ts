import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { type AwsAccess, endpointOf } from '#lambdas/platform/aws/access.ts';

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const clients = {
  'bedrock-runtime': BedrockRuntimeClient,
  dynamodb: DynamoDBClient,
  secretsmanager: SecretsManagerClient,
  sqs: SQSClient,
};
const accessFrom = (region: string, endpoints: AwsAccess['endpoints'] = {}) => ({
  region,
  credentials,
  endpoints,
});

function endpointOfSdk(service: keyof typeof clients, region: string): string {
  const { config } = new clients[service]({ region, credentials });
  return config.endpointProvider({ Region: region, UseFIPS: false, UseDualStack: false }).url.href;
}

describe('endpointOf', () => {
  it.each(['us-east-1', 'eu-central-1', 'me-south-1', 'us-gov-west-1', 'cn-north-1', 'eusc-de-east-1'])(
    'returns the same endpoints as the AWS SDK in %s',
    (region) => {
      const services = ['bedrock-runtime', 'dynamodb', 'secretsmanager', 'sqs'] as const;
      const found = services.map((service) => endpointOf(service, accessFrom(region)).href);

      expect(found).toEqual(services.map((service) => endpointOfSdk(service, region)));
    },
  );

  // Its client is not among the dependencies.
  it.each([
    ['us-east-1', 'https://events.us-east-1.amazonaws.com/'],
    ['us-gov-west-1', 'https://events.us-gov-west-1.amazonaws.com/'],
    ['cn-north-1', 'https://events.cn-north-1.amazonaws.com.cn/'],
    ['eusc-de-east-1', 'https://events.eusc-de-east-1.amazonaws.eu/'],
  ])('returns the endpoint of EventBridge in %s', (region, endpoint) => {
    expect(endpointOf('events', accessFrom(region)).href).toBe(endpoint);
  });

  it('uses the endpoint override of a service for that service only', () => {
    const access = accessFrom('us-east-1', { dynamodb: 'http://127.0.0.1:8000' });

    expect(endpointOf('dynamodb', access).href).toBe('http://127.0.0.1:8000/');
    expect(endpointOf('secretsmanager', access).href).toBe('https://secretsmanager.us-east-1.amazonaws.com/');
  });
});
