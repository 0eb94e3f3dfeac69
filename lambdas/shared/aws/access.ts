/** Whom AWS takes a function for, and where its services are. */

export type ServiceName = 'dynamodb' | 'secretsmanager';

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

export function endpointOf(service: ServiceName, { region, endpoints }: AwsAccess): URL {
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return new URL(endpoints[service] ?? `https://${service}.${region}.${suffix}`);
}
