import { type FakeAwsService, startFakeAwsService } from './fake-service.ts';

export interface FakeSecretsManager extends FakeAwsService {
  secretId: string;
  value: string | undefined;
}

export async function startFakeSecretsManager(value?: string): Promise<FakeSecretsManager> {
  const secretId = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:Providers-AbCdEf';
  const service = await startFakeAwsService(({ operation, body }) => {
    const input: { SecretId?: string; SecretString?: string } = JSON.parse(body);
    if (input.SecretId !== secretId) return errorResponse('Secrets Manager can’t find the specified secret.');
    if (operation === 'PutSecretValue') fake.value = input.SecretString;
    else if (operation !== 'GetSecretValue') return errorResponse(`Unsupported operation ${operation}`);
    const SecretString = operation === 'GetSecretValue' ? fake.value : undefined;
    return { body: JSON.stringify({ ARN: secretId, Name: 'Providers', SecretString }) };
  });
  const fake: FakeSecretsManager = { ...service, secretId, value };
  return fake;
}

function errorResponse(message: string) {
  return { status: 400, body: JSON.stringify({ __type: 'ResourceNotFoundException', message }) };
}
