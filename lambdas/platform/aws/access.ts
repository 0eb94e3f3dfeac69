/** The function's AWS credentials, region and service endpoints. */

/** By the names in the services' host names. */
export type ServiceName = 'bedrock-runtime' | 'dynamodb' | 'secretsmanager' | 'sqs';

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** Of a role; a user has none. */
  sessionToken?: string;
}

export interface AwsAccess {
  region: string;
  credentials: Credentials;
  /** Endpoints that replace the service's own. */
  endpoints: Partial<Record<ServiceName, string>>;
}

/** The access with which a call is signed, and the clock for the signature. */
export interface AwsCaller {
  access: AwsAccess;
  now(): Date;
}

export function endpointOf(service: ServiceName, { region, endpoints }: AwsAccess): URL {
  return new URL(endpoints[service] ?? `https://${service}.${region}.${domainOf(region)}`);
}

/** China and the European Sovereign Cloud have their own. */
function domainOf(region: string): string {
  if (region.startsWith('cn-')) return 'amazonaws.com.cn';
  return region.startsWith('eusc-') ? 'amazonaws.eu' : 'amazonaws.com';
}
