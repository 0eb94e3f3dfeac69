/** Whom AWS takes a function for, and where its services are. */

/** As they are named in their addresses. */
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
  /** By service, for those that are not where AWS has them. */
  endpoints: Partial<Record<ServiceName, string>>;
}

/** Who calls, and when. */
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
