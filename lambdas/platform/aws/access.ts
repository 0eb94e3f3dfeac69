/** The function's AWS credentials, region and service endpoints. */

/** The names in endpoints and signatures. `events` is Amazon EventBridge, `logs` CloudWatch Logs. */
export type ServiceName = 'bedrock-runtime' | 'dynamodb' | 'events' | 'logs' | 'secretsmanager' | 'sqs';

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

export interface AwsAccess {
  region: string;
  credentials: Credentials;
  endpoints: Partial<Record<ServiceName, string>>;
}

export interface AwsClientOptions {
  access: AwsAccess;
  now(): Date;
}

export function endpointOf(service: ServiceName, { region, endpoints }: AwsAccess): URL {
  return new URL(endpoints[service] ?? `https://${service}.${region}.${domainOf(region)}`);
}

function domainOf(region: string): string {
  if (region.startsWith('cn-')) return 'amazonaws.com.cn';
  return region.startsWith('eusc-') ? 'amazonaws.eu' : 'amazonaws.com';
}
