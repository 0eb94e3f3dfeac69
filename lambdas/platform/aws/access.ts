/** The function's AWS credentials, region and service endpoints. */

/** The service's name in its host name. */
export type ServiceName = 'bedrock-runtime' | 'dynamodb' | 'secretsmanager' | 'sqs';

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** Set for the temporary credentials of a role; a user has none. */
  sessionToken?: string;
}

export interface AwsAccess {
  region: string;
  credentials: Credentials;
  /** Overrides of the services' default endpoints. */
  endpoints: Partial<Record<ServiceName, string>>;
}

/** The requirements of a signed call. */
export interface AwsCaller {
  access: AwsAccess;
  /** The time of the signature. */
  now(): Date;
}

export function endpointOf(service: ServiceName, { region, endpoints }: AwsAccess): URL {
  return new URL(endpoints[service] ?? `https://${service}.${region}.${domainOf(region)}`);
}

/** The China regions and the European Sovereign Cloud have their own domains. */
function domainOf(region: string): string {
  if (region.startsWith('cn-')) return 'amazonaws.com.cn';
  return region.startsWith('eusc-') ? 'amazonaws.eu' : 'amazonaws.com';
}
